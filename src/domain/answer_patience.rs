//! The patience with a model's answers.

use serde::{Deserialize, Serialize};

/// Bounds of the wait for answers; those that are `None` are as usual.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AnswerPatience {
    /// Seconds that one answer may take, from its first sign of life on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer_seconds: Option<u32>,
    /// Seconds without a sign of life.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub silence_seconds: Option<u32>,
    /// Attempts at one answer, the first one included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attempts: Option<u32>,
}

impl AnswerPatience {
    /// Whether everything is as usual.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// This with what another one says laid over it.
    #[must_use]
    pub fn overlaid(self, over: Self) -> Self {
        Self {
            answer_seconds: over.answer_seconds.or(self.answer_seconds),
            silence_seconds: over.silence_seconds.or(self.silence_seconds),
            attempts: over.attempts.or(self.attempts),
        }
    }
}
