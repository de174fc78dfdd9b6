//! An act in the task's environment: past the gate once a session, then done.

use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::engine::error::EngineError;
use crate::engine::session::Session;
use crate::policy::subject::{SessionSubject, Subject};
use crate::run::event::{Asking, CallRef};
use crate::tools::contract::Observation;

use super::context::Effects;
use super::environment::EnvironmentSession;
use super::gate::{self, ApprovalRequest, GateDecision};

/// The outcome of an act.
pub enum Acted {
    Done(Observation),
    /// Nobody is there to approve the session.
    Parked,
    Interrupted,
    /// The session was refused.
    Cancelled(String),
}

/// Does what a tool asked of the environment.
///
/// # Errors
/// A track without an environment, a session that does not open or does not act, or a journal that cannot
/// be written.
pub async fn act(
    effects: &mut Effects,
    session: &mut Session,
    at: CallRef,
    action: &Value,
    cancel: &CancellationToken,
) -> Result<Acted, EngineError> {
    let Some(environment) = effects.ports.track.environment.clone() else {
        return Err(EngineError::Unusable(format!(
            "the track `{}` has no environment to act in",
            session.state.track().track
        )));
    };
    let data = match &session.state.started {
        Some(started) => started.data_digest,
        None => return Err(EngineError::Unusable("an act comes before the run".to_owned())),
    };
    let name = environment.name().to_owned();
    let confinement = environment.confinement();
    let subject = Subject::Session(SessionSubject {
        environment: name.clone(),
        confinement: confinement.clone(),
        data,
    });
    let approval = ApprovalRequest {
        at,
        asking: Asking::Session,
        summary: format!("act in the environment `{name}`"),
        digest: subject.digest(),
        subject: &subject,
        details: confinement,
    };
    let decision = effects.ports.approver.decide(&subject);
    match gate::pass(&effects.ports, session, approval, decision, cancel).await? {
        GateDecision::Open => {}
        GateDecision::Parked => return Ok(Acted::Parked),
        GateDecision::Refused { words, .. } => {
            let words = words.map_or(String::new(), |words| format!(": {words}"));
            return Ok(Acted::Cancelled(format!(
                "a session of `{name}` was refused{words}"
            )));
        }
    }
    let mut different = Vec::new();
    let mut open = match effects.environment.take() {
        Some(open) => open,
        None => {
            let mut open = environment.open(&session.folder.workspace()).await?;
            match again(done(session)?, open.as_mut(), cancel).await? {
                Some(others) => different = others,
                None => return Ok(Acted::Interrupted),
            }
            open
        }
    };
    let acted = tokio::select! {
        () = cancel.cancelled() => None,
        observation = open.act(action, cancel) => Some(observation),
    };
    // One that was cut short is in no known state: the next process opens its own.
    let Some(observation) = acted else {
        return Ok(Acted::Interrupted);
    };
    let observation = with_differences(observation?, &different);
    effects.environment = Some(open);
    Ok(Acted::Done(observation))
}

/// The agent is told what is not as it was before the process ended.
fn with_differences(mut observation: Observation, different: &[String]) -> Observation {
    if !different.is_empty() {
        // Another run of the same acts may be in one piece.
        observation.stable.get_or_insert(observation.text.clone());
        observation.text.push_str(&format!(
            "\n\n[The session was opened anew and its acts were done again. These came to something else: {}.]",
            different.join("; ")
        ));
    }
    observation
}

/// An act of the journal.
struct Done {
    action: Value,
    /// What it came to.
    seen: String,
    /// Its tool and its turn, for people.
    place: String,
}

/// The acts of the journal, in their order.
fn done(session: &Session) -> Result<Vec<Done>, EngineError> {
    let turns = session.state.stages.values().flat_map(|stage| &stage.turns);
    let mut acts = Vec::new();
    for result in turns.flat_map(|turn| turn.results.values()) {
        let Some(act) = &result.act else { continue };
        let action = serde_json::from_str(&session.text(act)?).map_err(|error| {
            EngineError::Unusable(format!("an act in the journal cannot be read: {error}"))
        })?;
        let at = result.at;
        acts.push(Done {
            action,
            seen: session.text(result.stable.as_ref().unwrap_or(&result.observation))?,
            place: format!("`{}` of turn {} of {}", result.tool, at.turn + 1, at.stage),
        });
    }
    Ok(acts)
}

/// Brings a session to where the journal left the last one, and says which acts came to
/// something else; `None` where it was asked to stop on the way.
async fn again(
    acts: Vec<Done>,
    open: &mut dyn EnvironmentSession,
    cancel: &CancellationToken,
) -> Result<Option<Vec<String>>, EngineError> {
    let mut different = Vec::new();
    for done in acts {
        if cancel.is_cancelled() {
            return Ok(None);
        }
        let seen = open.act(&done.action, cancel).await?;
        if done.seen != seen.stable.unwrap_or(seen.text) {
            different.push(done.place);
        }
    }
    Ok(Some(different))
}
