//! The trials of judges in the audit of a bench.

use std::fs;
use std::path::Path;

use super::cell_spec::EntryTask;
use crate::analysis::bench::cell::TaskKind;
use crate::analysis::bench::judge_audit::AuditedJudge;
use crate::app;
use crate::app::judges::Judges;
use crate::app::process_shared::ProcessShared;
use crate::catalog::rubrics::load::Rubrics;
use crate::catalog::rubrics::trace_rubric::TraceRubric;
use crate::cli::exit::{Failure, Status};
use crate::cli::judge_args::JudgeArgs;
use crate::cli::run_folder;
use crate::domain::digest::Digest;
use crate::engine::error::EngineError;
use crate::grading::judge_audit::JudgeTrial;
use crate::grading::scored_run::grading_request::GradingRequest;
use crate::grading::scored_run::judge_grading::Judge;
use crate::settings::Settings;
use crate::study::gold::Gold;
use crate::study::open::Study;

/// The folder of judges' answers, below the audit's.
const JUDGES: &str = "judges";

/// The trials of judges, and where their answers are kept.
pub struct JudgeTrials<'a> {
    pub settings: &'a Settings,
    /// The folder of the audit.
    pub place: &'a Path,
    pub asking: &'a JudgeArgs,
}

impl JudgeTrials<'_> {
    /// Tries each judge at each study with references, and at the review of a conversation.
    ///
    /// # Errors
    /// A judge or a study that cannot be used, or a folder that cannot be written.
    pub async fn all(&self, judges: &[String], tasks: &[EntryTask]) -> Result<Vec<AuditedJudge>, Failure> {
        let mut found = Vec::new();
        if judges.is_empty() {
            return Ok(found);
        }
        let (_, helper) = app::toolset::graders(self.settings)?;
        let rubrics = Rubrics::load(None).map_err(EngineError::from)?;
        let review = TraceRubric::load(None).map_err(EngineError::from)?;
        for judge in judges {
            let trial = JudgeTrial {
                rubrics: &rubrics,
                helper: &helper,
                judge,
            };
            let asked = self.judge(judge, self.place)?;
            let own = self.folder(judge, "review")?;
            let (reviewed, _) = asked
                .asked(&own, async |line| trial.review(line, &review).await)
                .await?;
            found.push(reviewed);
            for task in tasks.iter().filter(|task| task.kind == TaskKind::Study) {
                let Some(study) = with_references(&task.path)? else {
                    continue;
                };
                let asked = self.judge(judge, &task.path)?;
                let own = self.folder(judge, &task.name)?;
                let (tried, _) = asked
                    .asked(&own, async |line| {
                        trial.study(line, &task.name, &study.claim, &study.gold).await
                    })
                    .await?;
                found.push(AuditedJudge {
                    content: Some(task.content.to_string()),
                    ..tried
                });
            }
        }
        Ok(found)
    }

    fn judge(&self, name: &str, study: &Path) -> Result<Judge, Failure> {
        let shared = ProcessShared::default();
        let judges = Judges {
            settings: self.settings,
            shared: &shared,
        };
        let request = GradingRequest {
            seed: self.asking.judge_seed,
            temperature: self.asking.judge_temperature,
            caps: self.asking.caps()?,
            ..GradingRequest::default()
        };
        Ok(Judge::open(&judges, &request, name, study)?)
    }

    /// The folder of a judge's answers to one trial.
    fn folder(&self, judge: &str, trial: &str) -> Result<std::path::PathBuf, Failure> {
        let name = format!(
            "{}-{}",
            run_folder::plain(judge),
            &Digest::compute(judge).hex()[..6]
        );
        let own = self.place.join(JUDGES).join(name).join(run_folder::plain(trial));
        fs::create_dir_all(&own)
            .map_err(|error| Failure::new(Status::Infrastructure, format!("{}: {error}", own.display())))?;
        Ok(own)
    }
}

/// A study whose references a judge can hold texts against.
struct StudyWithReferences {
    claim: String,
    gold: Gold,
}

/// `None` of a folder that is no study, or of one without references.
fn with_references(path: &Path) -> Result<Option<StudyWithReferences>, Failure> {
    let Ok(study) = Study::open(path) else {
        return Ok(None);
    };
    let invalid = |error: &dyn std::fmt::Display| Failure::new(Status::StudyInvalid, error.to_string());
    let gold = Gold::open(&study).map_err(|error| invalid(&error))?;
    let has_some =
        !gold.post_registrations.is_empty() || gold.preregistration.is_some() || gold.report.is_some();
    let claim = study.claim();
    Ok(has_some.then(|| StudyWithReferences {
        claim: format!("{}\n\n{}", claim.statement, claim.hypotheses),
        gold,
    }))
}
