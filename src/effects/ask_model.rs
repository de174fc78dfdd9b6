//! One model call.

use tokio_util::sync::CancellationToken;

use crate::agent::dialogue::Dialogue;
use crate::engine::dispatch::Step;
use crate::engine::error::EngineError;
use crate::engine::session::Session;
use crate::model::chat::ModelError;
use crate::run::event::{Event, Work};

use super::context::Effects;
use super::halt::halt;
use super::{left_out, time_left};

/// Asks, and journals the answer before anything else sees it. A call that
/// may not be made, or that is not answered, stops the run where it is; a person who has something
/// to do first is waited for.
///
/// # Errors
/// Settings or a recording that cannot be used, or a journal or shrunk result that cannot be written.
pub async fn ask(
    effects: &Effects,
    session: &mut Session,
    conversation: &mut Dialogue,
    cancel: &CancellationToken,
) -> Result<Step, EngineError> {
    let position = conversation.position();
    let budget = effects.ports.account.budget();
    let author = effects.ports.model.author().map(str::to_owned);
    let time = match time_left::compute(budget, session, position.stage) {
        // A person is not hurried: the time is none that the run works.
        Ok(time) => time.filter(|_| author.is_none()),
        Err(spent) => return halt(effects, session, position.stage, ModelError::Spent(spent)),
    };
    left_out::keep(session, conversation.left_out())?;
    let request = conversation.request();
    let started = session.steady();
    session.begin(Work::Model);
    let asked = tokio::select! {
        // An answer that has arrived is kept even if Ctrl-C came with it.
        biased;
        response = effects.ports.model.chat(&request) => response,
        () = cancel.cancelled() => return Ok(Step::Interrupted),
        spent = time_left::passes(time) => Err(ModelError::Spent(spent)),
    };
    let response = match asked {
        Ok(response) => response,
        Err(ModelError::AwaitsPerson(words)) => {
            session.await_person(words);
            return Ok(Step::Parked);
        }
        Err(error) => return halt(effects, session, position.stage, error),
    };
    let thoughts = (response.thoughts.as_deref())
        .and_then(|thoughts| serde_json::to_vec(thoughts).ok())
        .map(|thoughts| session.keep(&thoughts));
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
        thoughts: thoughts.transpose()?,
        author,
        program: None,
    })?;
    conversation.answered(&response);
    Ok(Step::Done)
}
