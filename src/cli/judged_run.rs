//! The marks that the judge of a run of several has given it, by the run's folder.

use serde::{Deserialize, Serialize};

use crate::analysis::bench::judged_cell::JudgedStage;
use crate::domain::price::Price;
use crate::domain::usage::MicroDollars;
use crate::engine::error::EngineError;
use crate::engine::run_reader::RunReader;
use crate::grading::scorecard::card::{JudgeCard, StageCard};
use crate::grading::scorecard::{earlier_scores, files};
use crate::grading::scored_run::judge_grading::CALLS;
use crate::grading::scored_run::judge_names::JudgeNames;
use crate::model::layers::answer_cache;
use crate::policy::limits::Used;

/// The judge of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunJudge {
    /// What makes it another judge: a model's name, or a recording's with its digest.
    pub name: String,
    /// As it is asked: `provider/model`, or `recorded:` and a file.
    pub model: String,
    /// What its answers cost; absent where that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<Price>,
}

impl RunJudge {
    /// Its kept answers, below a run's folder.
    pub fn calls(&self) -> String {
        format!("{}/{CALLS}", files::folder_name(&self.model))
    }
}

/// A run as its judge has marked it so far.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct JudgedRun {
    pub stages: Vec<JudgedStage>,
    /// Whether the judge was asked for everything, as the run stands, and answered.
    pub is_whole: bool,
    /// Whether a cap kept it from being asked.
    pub is_at_cap: bool,
    /// Why marks lack, where some do.
    pub lacks: Option<String>,
    /// What all its answers came to, earlier ones too.
    pub spent: Used,
}

impl JudgedRun {
    /// The money of the judge; `None` where its price is not known.
    pub fn cost(&self, judge: &RunJudge) -> Option<MicroDollars> {
        (judge.price.is_some() || self.spent.turns == 0).then_some(self.spent.money)
    }

    /// Reads what the judge said of a run.
    ///
    /// # Errors
    /// Scores of a later format, or kept answers that cannot be read.
    pub fn read(run: &RunReader, judge: &RunJudge) -> Result<Self, EngineError> {
        let calls = run.folder.path().join(judge.calls());
        let spent =
            answer_cache::spent(&calls, judge.price).map_err(|error| EngineError::io(&calls, error))?;
        let unmarked = |why: &str| Self {
            lacks: Some(why.to_owned()),
            spent,
            ..Self::default()
        };
        let earlier = earlier_scores::read(&run.folder, &run.request.run.to_string())?;
        let names = JudgeNames {
            study: &run.request.study,
        };
        let own = (earlier.judges.iter()).find(|card| names.is_same(&card.judge, &judge.model));
        let Some(card) = own else {
            return Ok(unmarked("its judge has not marked it yet"));
        };
        if card.graded != Some(earlier_scores::state_of(run)) {
            return Ok(unmarked("its judge has not marked it as it stands"));
        }
        let lacks = lacks(card);
        Ok(Self {
            stages: card.stages.iter().filter_map(stage).collect(),
            is_whole: card.cost.failed == 0 && card.cost.refused == 0,
            is_at_cap: card.cost.refused > 0,
            lacks,
            spent,
        })
    }
}

fn stage(card: &StageCard) -> Option<JudgedStage> {
    Some(JudgedStage {
        stage: card.stage.to_string(),
        score: card.mean?,
        floor: card.floor,
        ceiling: card.ceiling,
    })
}

/// Why marks lack: a cap, calls that failed, or that nothing could be marked at all.
fn lacks(card: &JudgeCard) -> Option<String> {
    let cost = &card.cost;
    if cost.refused > 0 {
        return Some(format!(
            "{} calls of its judge could have gone beyond a cap, and were not made: a larger one goes on",
            cost.refused
        ));
    }
    if cost.failed > 0 {
        let fault = cost.fault.as_deref().unwrap_or_default();
        return Some(format!("{} calls of its judge failed: {fault}", cost.failed));
    }
    let is_marked = card.stages.iter().any(|stage| stage.mean.is_some());
    let why =
        (card.stages.iter()).find_map(|card| Some(format!("{}: {}", card.stage, card.unscored.as_ref()?)));
    why.filter(|_| !is_marked)
}
