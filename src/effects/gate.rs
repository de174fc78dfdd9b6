//! Asks before acting. A decision holds for exactly the content it was made on.

use serde::Serialize;
use tokio_util::sync::CancellationToken;

use crate::domain::digest::Digest;
use crate::engine::error::EngineError;
use crate::engine::session::Session;
use crate::policy::decision::Decision;
use crate::policy::subject::{Network, Subject};
use crate::run::event::{Asked, Asking, CallRef, Decided, DecidedBy, Event};

use super::context::Effects;
use super::ports::Ports;

/// The decision of the gate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GateDecision {
    Open,
    /// Somebody or some rule said no; the words are advice or a reason.
    Refused {
        words: Option<String>,
        by: DecidedBy,
    },
    /// Nobody is there to answer.
    Parked,
}

/// Something that needs a decision.
pub struct ApprovalRequest<'a, T> {
    pub at: CallRef,
    pub asking: Asking,
    /// One line for people.
    pub summary: String,
    /// The canonical content, and its digest.
    pub subject: &'a T,
    pub digest: Digest,
    /// What a person looks at before answering.
    pub details: String,
}

/// A request to reach something on the network.
pub struct NetworkQuestion {
    pub network: Network,
    /// One line that says what for.
    pub summary: String,
    /// What else whoever decides should know.
    pub details: String,
}

/// Asks whether something of a run may reach one party on the network.
///
/// # Errors
/// A question that cannot be kept in the store, or a journal that cannot be written.
pub async fn reach(
    effects: &Effects,
    session: &mut Session,
    at: CallRef,
    question: NetworkQuestion,
    cancel: &CancellationToken,
) -> Result<GateDecision, EngineError> {
    let NetworkQuestion {
        network,
        summary,
        details,
    } = question;
    let subject = Subject::Network(network);
    let decision = effects.ports.approver.decide(&subject);
    let approval = ApprovalRequest {
        at,
        asking: Asking::Network,
        summary,
        digest: subject.digest(),
        subject: &subject,
        details,
    };
    pass(&effects.ports, session, approval, decision, cancel).await
}

/// Finds the standing decision on this content, or gets one made.
///
/// # Errors
/// A question that cannot be kept in the store, or a journal that cannot be written.
pub async fn pass<T: Serialize>(
    ports: &Ports,
    session: &mut Session,
    approval: ApprovalRequest<'_, T>,
    decision: Decision,
    cancel: &CancellationToken,
) -> Result<GateDecision, EngineError> {
    let forbidden = matches!(decision, Decision::Forbid(_));
    let standing = session.state.gate.decision(approval.digest);
    // No earlier yes stands against a rule that says no.
    if let Some(standing) = standing.filter(|standing| !(forbidden && standing.allowed)) {
        return Ok(if standing.allowed {
            GateDecision::Open
        } else {
            GateDecision::Refused {
                words: standing.words.clone(),
                by: standing.by,
            }
        });
    }
    let asked = match session.state.gate.open_question(approval.digest) {
        Some(asked) => asked.clone(),
        None => {
            let subject = serde_json::to_vec(approval.subject)
                .map_err(|error| EngineError::Unusable(format!("a question cannot be written: {error}")))?;
            let asked = Asked {
                id: session.state.gate.next_id(),
                at: approval.at,
                asking: approval.asking,
                summary: approval.summary,
                subject: session.keep(&subject)?,
                digest: approval.digest,
                details: session.keep(approval.details.as_bytes())?,
            };
            session.record(Event::Asked(Box::new(asked.clone())))?;
            asked
        }
    };
    let (allowed, words, by) = match decision {
        Decision::Allow => (true, None, DecidedBy::Setting),
        Decision::Forbid(reason) => (false, Some(reason), DecidedBy::Policy),
        Decision::Ask => {
            let answer = tokio::select! {
                () = cancel.cancelled() => None,
                answer = ports.person.answer(&asked, &approval.details) => answer,
            };
            match answer {
                Some(reply) => (reply.allowed, reply.words, DecidedBy::Person),
                None => return Ok(GateDecision::Parked),
            }
        }
    };
    let decided = Decided {
        id: asked.id,
        digest: asked.digest,
        allowed,
        by,
        words: words.clone(),
    };
    session.record(Event::Decided(Box::new(decided)))?;
    Ok(if allowed {
        GateDecision::Open
    } else {
        GateDecision::Refused { words, by }
    })
}
