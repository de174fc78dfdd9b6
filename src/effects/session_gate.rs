//! The gate before a session of the task's environment: what confines it, and the decision on it.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::engine::error::EngineError;
use crate::engine::session::Session;
use crate::policy::subject::{SessionSubject, Subject};
use crate::run::event::{Asking, CallRef};

use super::context::Effects;
use super::environment::{ConfinementTerms, Environment};
use super::gate::{self, ApprovalRequest, GateDecision};
use super::program::chosen;

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
    }
}

/// The decision on a session.
pub enum Approved {
    Yes,
    /// Nobody is there to decide.
    Parked,
    Refused(String),
}

/// Has a session decided on.
///
/// # Errors
/// A run that has not begun, an agent that cannot be used, or a journal that cannot be written.
pub async fn approved(
    effects: &Effects,
    session: &mut Session,
    environment: &dyn Environment,
    at: CallRef,
    cancel: &CancellationToken,
) -> Result<Approved, EngineError> {
    let none = || EngineError::Unusable("an act comes before the run".to_owned());
    let data = session.state.started.as_ref().ok_or_else(none)?.data_digest;
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
