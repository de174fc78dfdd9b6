//! A failed attempt at an answer: its fault, and when to try again.

use std::time::Duration;

/// The fault of an attempt, so far as the retry and concurrency layers care.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AttemptFault {
    /// The provider answered with a status that says so.
    Status(u16),
    /// No connection, or one that broke.
    Connection,
    /// Nobody is at the address: nothing listens there on this machine, or the name is no host's.
    Unreachable,
    /// The attempt's time budget ran out.
    TimedOut,
    /// An answer that is not what the protocol promises.
    Malformed,
    /// An answer without a single choice.
    Empty,
    /// A stream that ended before the answer did.
    Truncated,
}

/// An attempt that failed in a way that another may not.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{provider} did not answer: {message}")]
pub struct FailedAttempt {
    pub provider: String,
    pub fault: AttemptFault,
    /// How long the provider asks to be left alone.
    pub retry_after: Option<Duration>,
    /// One sentence, bounded, without secrets.
    pub message: String,
}

impl FailedAttempt {
    /// An attempt after which the provider asked for no wait.
    pub fn new(provider: impl Into<String>, fault: AttemptFault, message: impl Into<String>) -> Self {
        Self {
            provider: provider.into(),
            fault,
            retry_after: None,
            message: message.into(),
        }
    }

    /// Whether the provider says that it is asked too often.
    pub fn is_rate_limit(&self) -> bool {
        matches!(self.fault, AttemptFault::Status(429 | 529))
    }
}
