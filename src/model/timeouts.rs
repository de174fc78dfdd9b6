//! Time-outs of an attempt at an answer, and the size of the answer.

use std::time::Duration;

/// Bounds of one attempt, from the first byte sent to the last one read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AttemptBudget {
    /// Everything together.
    pub total: Duration,
    /// The longest silence once an answer has begun.
    pub stall: Duration,
    /// The longest that a connection may take to stand.
    pub connect: Duration,
    /// Most bytes of an answer.
    pub bytes: usize,
}

impl Default for AttemptBudget {
    fn default() -> Self {
        Self {
            total: Duration::from_secs(600),
            stall: Duration::from_secs(120),
            connect: Duration::from_secs(30),
            bytes: 32 << 20,
        }
    }
}
