//! Time-outs of an attempt at an answer, and the size of the answer.

use std::time::Duration;

use crate::domain::answer_patience::AnswerPatience;

/// Bounds of one attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AttemptBudget {
    /// The longest wait for the head of an answer, while the server shows no sign of life to anybody of this process:
    /// it may have a queue. An answer that is not streamed is silent until it is complete.
    pub begin: Duration,
    /// Everything after the head together.
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
            begin: Duration::from_secs(600),
            total: Duration::from_secs(3600),
            stall: Duration::from_secs(120),
            connect: Duration::from_secs(30),
            bytes: 32 << 20,
        }
    }
}

impl AttemptBudget {
    /// The usual bounds, but for what was asked for. More patience with silence holds for the head as well; less does
    /// not, since many servers send it with the first token.
    pub fn with(patience: AnswerPatience) -> Self {
        let usual = Self::default();
        let seconds = |asked: Option<u32>| asked.map(|seconds| Duration::from_secs(seconds.into()));
        let stall = seconds(patience.silence_seconds).unwrap_or(usual.stall);
        Self {
            begin: usual.begin.max(stall),
            total: seconds(patience.answer_seconds).unwrap_or(usual.total),
            stall,
            ..usual
        }
    }
}
