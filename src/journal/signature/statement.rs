//! The statement that a signature is made over.

use serde::{Deserialize, Serialize};

use crate::domain::digest::Digest;
use crate::domain::ids::{ApprovalId, RunId};
use crate::journal::line::CheckSum;
use crate::run::event::{DecidedBy, Event};

/// The format of a signed statement.
pub const FORMAT: &str = "reprise-signature/1";

/// The event of a journal that is signed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SignedEvent {
    /// A decision by a person.
    Decision {
        id: ApprovalId,
        /// Of what was decided on.
        digest: Digest,
        allowed: bool,
    },
    /// The end of the run.
    End,
}

impl SignedEvent {
    /// What of an event is signed; `None` of one that is not.
    pub fn from_event(event: &Event) -> Option<Self> {
        match event {
            Event::Decided(decided) if decided.by == DecidedBy::Person => Some(Self::Decision {
                id: decided.id,
                digest: decided.digest,
                allowed: decided.allowed,
            }),
            Event::RunFinished { .. } | Event::RunGraded { .. } => Some(Self::End),
            _ => None,
        }
    }
}

/// A journal as it stands with one of its events.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Statement {
    /// [`FORMAT`].
    pub format: String,
    pub run: RunId,
    /// The format of the run.
    pub run_format: u32,
    pub seq: u64,
    pub event: SignedEvent,
    /// The check sum of the event's line, which is the head of the chain.
    pub head: CheckSum,
    /// Of the journal's bytes up to the end of that line.
    pub journal: Digest,
}

impl Statement {
    /// The bytes that are signed.
    ///
    /// # Errors
    /// Never, as long as statements are what JSON can hold.
    pub fn message(&self) -> Result<Vec<u8>, serde_json::Error> {
        serde_json::to_vec(self)
    }
}
