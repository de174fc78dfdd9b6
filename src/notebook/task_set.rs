//! The sets of SUPER's tasks.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The set that a task is of. A record does not name its own; its columns tell it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskSet {
    /// A whole repository, with the answer of an expert.
    Expert,
    /// A part of an expert's way, behind cells that were executed beforehand.
    Masked,
    /// Made by a model; nobody gave an answer.
    Auto,
}

impl TaskSet {
    /// As text.
    pub fn name(self) -> &'static str {
        match self {
            Self::Expert => "expert",
            Self::Masked => "masked",
            Self::Auto => "auto",
        }
    }
}

impl fmt::Display for TaskSet {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}
