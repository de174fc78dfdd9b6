//! The gate before a session of the task's environment: what confines it, and the decision on it.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::engine::error::EngineError;
use crate::engine::session::Session;
use crate::policy::subject::{SessionSubject, Subject};
use crate::run::event::{Asking, CallRef};

use super::context::Effects;
use super::dated_lock::{self, SettledLock};
use super::environment::{ConfinementTerms, Environment};
use super::gate::{self, ApprovalRequest, GateDecision};
use super::program::chosen;
use super::session_lock::SessionLock;

/// The environment of the run's track.
///
/// # Errors
/// A track that has none.
pub fn environment(effects: &Effects, session: &Session) -> Result<Arc<dyn Environment>, EngineError> {
    effects.ports.track.environment.clone().ok_or_else(|| {
        EngineError::Unusable(format!(
            "the track `{}` has no environment to act in",
            session.state.track().track
        ))
    })
}

/// What confines a session, and what runs in it, in sentences.
pub fn confinement_of(effects: &Effects, environment: &dyn Environment) -> String {
    environment.confinement(confinement(effects))
}

/// The terms that confine a session of the run.
pub fn confinement(effects: &Effects) -> ConfinementTerms<'_> {
    ConfinementTerms {
        request: &effects.request,
        sandbox: effects.ports.sandbox.as_ref(),
        lock: effects
            .request
            .lock
            .as_deref()
            .or(effects.session_lock.as_ref().map(|held| held.lock.as_ref())),
    }
}

/// The decision on a session.
pub enum Approved {
    Yes,
    /// Nobody is there to decide.
    Parked,
    Refused(String),
    /// It was asked to stop before the lock was made that the decision is of.
    Interrupted,
}

/// Has a session decided on, with the lock of the run's day made before.
///
/// # Errors
/// A run that has not begun, an agent that cannot be used, an index that does not answer, or a journal that
/// cannot be written.
pub async fn approved(
    effects: &mut Effects,
    session: &mut Session,
    environment: &dyn Environment,
    at: CallRef,
    cancel: &CancellationToken,
) -> Result<Approved, EngineError> {
    let none = || EngineError::Unusable("an act comes before the run".to_owned());
    let data = session.state.started.as_ref().ok_or_else(none)?.data_digest;
    if !is_locked(effects, session, environment, at, cancel).await? {
        return Ok(Approved::Interrupted);
    }
    let name = environment.name().to_owned();
    let mut confinement = confinement_of(effects, environment);
    confinement.extend(chosen::in_session(effects, session, at.stage)?);
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
    Ok(
        match gate::pass(&effects.ports, session, approval, decision, cancel).await? {
            GateDecision::Open => Approved::Yes,
            GateDecision::Parked => Approved::Parked,
            GateDecision::Refused { words, .. } => {
                let words = words.map_or(String::new(), |words| format!(": {words}"));
                Approved::Refused(format!("a session of `{name}` was refused{words}"))
            }
        },
    )
}

/// Has the lock of the run's day made for what sessions are to have, as far as the run has a day; false where that
/// was cut short.
///
/// # Errors
/// A run that has not begun, an index that does not answer, a sandbox that fails, or a journal that cannot be
/// written.
async fn is_locked(
    effects: &mut Effects,
    session: &mut Session,
    environment: &dyn Environment,
    at: CallRef,
    cancel: &CancellationToken,
) -> Result<bool, EngineError> {
    if effects.request.dated.is_none() {
        return Ok(true);
    }
    let started = session.state.started.as_ref();
    let Some(wish) = started.and_then(|started| environment.wished(confinement(effects), started)) else {
        return Ok(true);
    };
    // Stages have sessions of their own, and a plan may be changed between two sessions of one.
    if (effects.session_lock.as_ref()).is_some_and(|held| held.wish == wish) {
        return Ok(true);
    }
    match dated_lock::settle(effects, session, at, &wish, cancel).await? {
        SettledLock::None => {}
        SettledLock::Made(lock) => effects.session_lock = Some(SessionLock { wish, lock }),
        SettledLock::Interrupted => return Ok(false),
    }
    Ok(true)
}
