//! One judge's grading of a run: the answers it is asked for, what they cost, and its files.

use std::path::Path;
use std::sync::Arc;

use crate::domain::price::Price;
use crate::domain::sampling::Sampling;
use crate::engine::error::EngineError;
use crate::grading::judge::question::JudgeLine;
use crate::grading::scorecard::card::{Cost, JudgeCard, StageCard};
use crate::grading::scorecard::judged::{Judging, Subject, by_judge};
use crate::grading::scorecard::{earlier_scores, files};
use crate::model::chat::ChatModel;
use crate::model::layers::answer_cache::AnswerCache;
use crate::model::layers::spend_account::SpendAccount;
use crate::model::recording::recorder::Recorder;
use crate::policy::limits::{Budget, Caps};
use crate::policy::scope::Scope;
use crate::scoring::aggregate::origin::Origin;

use super::grading_request::GradingRequest;
use super::judge_source::{JudgeSource, NamedJudge};

/// A judge's answers as they came, and as a recording that can be replayed.
pub const CALLS: &str = "calls.jsonl";
pub const RECORDING: &str = "recording.json";

/// A judge that can be asked, within its account.
pub struct Judge {
    name: String,
    sampling: Sampling,
    price: Option<Price>,
    model: Arc<dyn ChatModel>,
    account: Arc<SpendAccount>,
}

impl Judge {
    /// The judge of that name, for runs of a study.
    ///
    /// # Errors
    /// A judge that cannot be had.
    pub fn open(
        source: &dyn JudgeSource,
        request: &GradingRequest,
        name: &str,
        study: &Path,
    ) -> Result<Self, EngineError> {
        let known = source.capabilities(name)?;
        let sampling = request.sampling(name, &known);
        let model = source.model(NamedJudge {
            name,
            study,
            sampling,
        })?;
        Ok(Self {
            name: name.to_owned(),
            sampling,
            price: known.price,
            model,
            // The cache pays, since an answer that it holds costs nothing more.
            account: SpendAccount::new(budget(request.caps), known.price, source.pool()),
        })
    }

    /// Its full name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Asks for all four stages, and writes the judge's files into the run's folder.
    ///
    /// # Errors
    /// A run that cannot be read, kept answers that cannot be used, or a file that cannot be written.
    pub async fn grade(self, subject: &Subject<'_>, judging: &Judging<'_>) -> Result<JudgeCard, EngineError> {
        let run = subject.run;
        let own = files::make_folder(&run.folder, &files::folder_name(&self.name))?;
        let sampling = self.sampling;
        let (stages, asked) = self
            .asked(&own, async |line| by_judge(line, subject, judging).await)
            .await?;
        let study = run.state.started.as_ref();
        let study = study.map_or("", |started| started.study.as_str());
        let origin = Origin::new(&run.request.run.to_string(), study, &asked.name);
        let said: Vec<StageCard> = match asked.is_silent() {
            true => stages.iter().map(said_by_nobody).collect(),
            false => stages.clone(),
        };
        let (compat, corrected) = files::write_gradings(&own, &said, origin)?;
        Ok(JudgeCard {
            folder: files::folder_name(&asked.name),
            judge: asked.name,
            stages,
            compat,
            corrected,
            cost: asked.cost,
            sampling,
            graded: Some(earlier_scores::state_of(run)),
        })
    }

    /// Has the judge asked by `work`, out of its account; its answers are kept in the folder `own`, where
    /// a later call finds them.
    ///
    /// # Errors
    /// Those of the work, kept answers that cannot be used, or a file that cannot be written.
    pub async fn asked<T>(
        self,
        own: &Path,
        work: impl AsyncFnOnce(&mut JudgeLine<'_>) -> Result<T, EngineError>,
    ) -> Result<(T, AskedJudge), EngineError> {
        // A recording is its own memory, and keeping its answers would hide that it has changed.
        let kept = match self.name.starts_with("recorded:") {
            true => None,
            false => Some(Arc::new(
                AnswerCache::open(self.model.clone(), &own.join(CALLS), self.account)?.drawn(self.sampling),
            )),
        };
        let recorder = match &kept {
            Some(kept) => Recorder::new(kept.clone()),
            None => Recorder::new(self.model),
        };
        let mut line = JudgeLine::new(&recorder);
        let done = work(&mut line).await?;
        let (calls, usage, fault) = (line.calls, line.usage, line.fault);
        // What a cap did not allow is no fault of the judge.
        let refused = kept.as_ref().map_or(0, |kept| kept.tally().refused);
        let failed = line.failed.saturating_sub(refused);
        if let Some(kept) = kept {
            recorder.recording()?.write(&own.join(RECORDING))?;
            drop(kept);
        }
        let asked = AskedJudge {
            name: self.name,
            cost: Cost {
                calls,
                failed,
                fault,
                refused,
                usage,
                money: self.price.map(|price| price.cost(usage)),
            },
        };
        Ok((done, asked))
    }
}

/// A judge that was asked, and what that took.
#[derive(Debug, Clone, PartialEq)]
pub struct AskedJudge {
    pub name: String,
    pub cost: Cost,
}

impl AskedJudge {
    /// Whether it was called and never answered.
    pub fn is_silent(&self) -> bool {
        self.cost.calls == 0 && self.cost.failed > 0
    }
}

/// What holds for the whole grading of a run by one judge.
fn budget(caps: Caps) -> Budget {
    let mut budget = Budget::default();
    *budget.at(Scope::Run) = caps;
    budget
}

/// A stage as its files have it when the judge said nothing: what code decided
/// alone is no grading of that judge.
fn said_by_nobody(stage: &StageCard) -> StageCard {
    let is_whole = stage.against.iter().any(|one| one.grading.is_whole());
    match is_whole {
        true => StageCard::unscored(
            stage.stage,
            "code decided all of it, and the judge answered nothing",
        ),
        false => stage.clone(),
    }
}
