//! Stops a run where it is, to be resumed.

use crate::domain::failure::FailureCause;
use crate::domain::stage::Stage;
use crate::engine::dispatch::Step;
use crate::engine::error::EngineError;
use crate::engine::session::Session;
use crate::model::chat::ModelError;
use crate::model::refusal::Refusal;
use crate::run::event::{Event, Halted};

use super::context::Effects;
use super::end_stage;

/// Stops the run where the operator can do something about it. What is wrong
/// with the settings or the recording is an error as it is.
///
/// # Errors
/// Settings or a recording that cannot be used, which no halt mends, or a journal or artifact that cannot be written.
pub fn halt(
    effects: &Effects,
    session: &mut Session,
    stage: Stage,
    error: ModelError,
) -> Result<Step, EngineError> {
    let cause = match &error {
        ModelError::Drift(_) | ModelError::Misconfigured(_) | ModelError::AwaitsPerson(_) => {
            return Err(error.into());
        }
        ModelError::Spent(_)
        | ModelError::Rejected {
            why: Refusal::Context,
            ..
        } => FailureCause::Limit,
        ModelError::Rejected {
            why: Refusal::Filtered,
            ..
        } => FailureCause::Refused,
        ModelError::Rejected { .. } | ModelError::Attempt(_) | ModelError::Unavailable { .. } => {
            FailureCause::Infrastructure
        }
    };
    session.record(Event::Halted(Halted {
        stage,
        cause,
        detail: error.to_string(),
        waiting: session.in_bounds(effects.ports.waits.take()),
    }))?;
    end_stage::materialise(session)?;
    Ok(Step::Done)
}
