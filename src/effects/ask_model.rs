//! One model call.

use tokio_util::sync::CancellationToken;

use crate::agent::conversation::Conversation;
use crate::domain::failure::FailureCause;
use crate::engine::dispatch::Step;
use crate::engine::error::EngineError;
use crate::engine::session::Session;
use crate::model::chat::ModelError;
use crate::model::refusal::Refusal;
use crate::run::event::{Event, Halted};

use super::performer::Effects;
use super::{end_stage, left_out, time_left};

/// Asks, and journals the answer before anything else sees it. A call that
/// may not be made, or that is not answered, stops the run where it is.
pub async fn ask(
    effects: &Effects,
    session: &mut Session,
    conversation: &mut Conversation,
    cancel: &CancellationToken,
) -> Result<Step, EngineError> {
    let position = conversation.position();
    let budget = effects.ports.purse.budget();
    let time = match time_left::of(budget, session, position.stage) {
        Ok(time) => time,
        Err(spent) => return halt(effects, session, conversation, ModelError::Spent(spent)),
    };
    left_out::keep(session, conversation.left_out())?;
    let request = conversation.request();
    let started = session.now();
    let asked = tokio::select! {
        // An answer that has arrived is kept even if Ctrl-C came with it.
        biased;
        response = effects.ports.model.chat(&request) => response,
        () = cancel.cancelled() => return Ok(Step::Interrupted),
        spent = time_left::passes(time) => Err(ModelError::Spent(spent)),
    };
    let response = match asked {
        Ok(response) => response,
        Err(error) => return halt(effects, session, conversation, error),
    };
    session.record(Event::ModelAnswered {
        stage: position.stage,
        turn: position.turn,
        request: conversation.request_digest(),
        text: session.keep(response.text.as_bytes())?,
        calls: response.calls.clone(),
        finish: response.finish,
        usage: response.usage,
        wall_ms: session.since(started),
        waiting: effects.ports.waits.take(),
    })?;
    conversation.answered(&response);
    Ok(Step::Done)
}

/// Stops the run, to be resumed, where the operator can do something about it.
/// What is wrong with the settings or the recording is an error as it is.
fn halt(
    effects: &Effects,
    session: &mut Session,
    conversation: &Conversation,
    error: ModelError,
) -> Result<Step, EngineError> {
    let cause = match &error {
        ModelError::Drift(_) | ModelError::Misconfigured(_) => return Err(error.into()),
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
        stage: conversation.position().stage,
        cause,
        detail: error.to_string(),
        waiting: effects.ports.waits.take(),
    }))?;
    end_stage::materialise(session)?;
    Ok(Step::Done)
}
