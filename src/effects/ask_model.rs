//! One model call.

use tokio_util::sync::CancellationToken;

use crate::agent::conversation::Conversation;
use crate::engine::dispatch::Step;
use crate::engine::error::EngineError;
use crate::engine::session::Session;
use crate::run::event::Event;

use super::left_out;
use super::performer::Effects;

/// Asks, and journals the answer before anything else sees it.
pub async fn ask(
    effects: &Effects,
    session: &mut Session,
    conversation: &mut Conversation,
    cancel: &CancellationToken,
) -> Result<Step, EngineError> {
    left_out::keep(session, conversation.left_out())?;
    let request = conversation.request();
    let started = session.now();
    let response = tokio::select! {
        // An answer that has arrived is kept even if Ctrl-C came with it.
        biased;
        response = effects.ports.model.chat(&request) => response?,
        () = cancel.cancelled() => return Ok(Step::Interrupted),
    };
    let position = conversation.position();
    session.record(Event::ModelAnswered {
        stage: position.stage,
        turn: position.turn,
        request: conversation.request_digest(),
        text: session.keep(response.text.as_bytes())?,
        calls: response.calls.clone(),
        finish: response.finish,
        usage: response.usage,
        wall_ms: session.since(started),
    })?;
    conversation.answered(&response);
    Ok(Step::Done)
}
