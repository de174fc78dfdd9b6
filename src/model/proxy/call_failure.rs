//! Failures of calls.

use crate::domain::proxy_dialect::ProxyDialect;
use crate::model::chat::ModelError;
use crate::model::proxy::fault_reply::FaultReply;
use crate::policy::limits::Reached;

/// The failure of a call, told to its client in words that make it stop.
#[derive(Debug, thiserror::Error)]
pub enum CallFailure {
    /// A cap does not allow the call; the provider was not asked.
    #[error("budget exhausted: {0}")]
    Spent(Reached),
    /// The run has no room to record the call, with the bytes that it has for all; the provider was not asked.
    #[error("this run records {0} bytes of its agent's calls at most, and has no room for this one")]
    Full(u64),
    /// The provider turned the request down, in its own words.
    #[error("{error}")]
    Refused {
        status: u16,
        body: Vec<u8>,
        error: ModelError,
    },
    /// The provider did not answer, after all our attempts, or said something that is no answer.
    #[error("{0}")]
    Unanswered(ModelError),
    /// The run that is replayed has this failure here.
    #[error("{}", .0.why)]
    Replayed(ToldFailure),
    /// The answer could not be recorded, so that nobody may see it.
    #[error("The run's journal takes no more: {0}")]
    Unrecorded(String),
    /// The run is over, or stops.
    #[error("{0}")]
    Over(String),
}

/// A failure as its client was told of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToldFailure {
    /// The cap that did not allow the call.
    pub reached: Option<Reached>,
    pub why: String,
    pub reply: FaultReply,
}

impl CallFailure {
    /// What a client of a dialect is told.
    pub fn reply(&self, dialect: ProxyDialect) -> FaultReply {
        match self {
            Self::Spent(_) => FaultReply::spent(dialect, &self.to_string()),
            Self::Replayed(told) => told.reply.clone(),
            // The provider's own words, since clients shorten a conversation that is too long.
            Self::Refused { status, body, .. } if matches!(status, 400 | 404 | 413 | 422) => FaultReply {
                status: *status,
                body: body.clone(),
            },
            _ => FaultReply::ending(dialect, &self.to_string()),
        }
    }
}
