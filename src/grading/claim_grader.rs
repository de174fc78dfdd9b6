//! The grader of predictions: a verdict that was said from a claim alone, against the label that people
//! gave the study.

use crate::domain::claim_only;
use crate::domain::grade::GradedPart;
use crate::effects::grader::{EndedRun, Grader, Judgement};
use crate::engine::error::EngineError;
use crate::grading::discovery::outcome_labels;
use crate::grading::prediction::{prediction, verdict};
use crate::run::decide::failed_stage;

/// Grades predictions.
pub struct ClaimPrediction;

impl Grader for ClaimPrediction {
    fn name(&self) -> &str {
        claim_only::GRADER
    }

    fn grade(&self, run: &EndedRun<'_>) -> Result<Judgement, EngineError> {
        let failure = failed_stage(run.state).map(|failure| failure.cause);
        let not_agents = failure.filter(|cause| !cause.is_agents());
        let predicted = prediction(run.state, run.store)?;
        let study = run.state.started.as_ref().map(|started| started.study.as_str());
        let label = outcome_labels::of_study(run.task, study.unwrap_or_default());
        let (score, detail) = match (predicted, label, not_agents) {
            (_, _, Some(cause)) => (
                None,
                format!("unscored, since the attempt ended by {}", cause.name()),
            ),
            (_, Err(why), None) => (None, format!("unscored: {why}")),
            (None, Ok(_), None) => (Some(0.0), "no verdict was said".to_owned()),
            (Some(prediction), Ok(label), None) => {
                let is_right = verdict(prediction.verdict) == label.into();
                (
                    Some(f64::from(u8::from(is_right))),
                    format!(
                        "{}, said from the claim alone with confidence {}",
                        prediction.verdict.word(),
                        prediction.confidence
                    ),
                )
            }
        };
        Ok(Judgement::Parts {
            parts: vec![GradedPart {
                name: "prediction".to_owned(),
                score,
                detail,
            }],
            others: Vec::new(),
            also: Vec::new(),
        })
    }
}
