//! Faults in an agent's answer, and deviations from its schema that are accepted.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The kind of a difference between an accepted answer and the canonical shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerDeviationKind {
    /// A value of another type, converted without loss.
    Type,
    /// A known key under another name.
    Alias,
    /// An unknown key, kept under `extra`.
    UnknownKey,
    /// An optional key that is missing.
    MissingKey,
    /// A part that stood elsewhere in the document.
    Moved,
    /// A note inside a value that is meant to be bare, such as `a.R (to be written)`.
    Annotated,
}

/// One accepted difference.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerDeviation {
    /// JSON pointer into the answer.
    pub path: String,
    pub kind: AnswerDeviationKind,
    /// One sentence.
    pub note: String,
}

/// Something in an answer that cannot be accepted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerFault {
    /// JSON pointer into the answer; empty for the whole.
    pub path: String,
    /// What is wrong.
    pub problem: String,
    /// What would be right.
    pub expected: String,
}

impl AnswerFault {
    /// A fault at `path`.
    pub fn new(path: impl Into<String>, problem: impl Into<String>, expected: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            problem: problem.into(),
            expected: expected.into(),
        }
    }
}

impl fmt::Display for AnswerFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = if self.path.is_empty() {
            "the whole answer"
        } else {
            &self.path
        };
        write!(
            formatter,
            "At {place}: {}. Expected: {}.",
            self.problem, self.expected
        )
    }
}
