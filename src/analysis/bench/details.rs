//! Details of a cell beside its result: what its task is of, why it ended early, and its stages.

use serde::{Deserialize, Serialize};

use crate::domain::doubt::DoubtCause;
use crate::domain::failure::FailureCause;

/// Details of a cell; empty in files of versions that did not write them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct CellDetails {
    /// The field of research, as the task names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// The language of the task's code, or of the scripts that ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// The level of a capsule, or the set of a notebook task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
    /// The stage that ended it early, and why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed_stage: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<FailureCause>,
    /// Why a verdict is left open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doubt: Option<DoubtCause>,
    /// In the order in which they began.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stages: Vec<StageAmounts>,
}

/// The time and the tokens of a stage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StageAmounts {
    pub stage: String,
    /// At work: without waits for persons and without stops.
    pub seconds: f64,
    pub tokens: u64,
    /// Answers of the model.
    pub turns: u64,
}

/// A property of a task by which cells are split.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Facet {
    Field,
    Language,
    Level,
}

impl Facet {
    pub const ALL: [Self; 3] = [Self::Field, Self::Language, Self::Level];

    /// The word as it is written in files.
    pub fn word(self) -> &'static str {
        match self {
            Self::Field => "field",
            Self::Language => "language",
            Self::Level => "level",
        }
    }
}

impl CellDetails {
    /// The value of a facet, where it is known.
    pub fn facet(&self, facet: Facet) -> Option<&str> {
        match facet {
            Facet::Field => self.field.as_deref(),
            Facet::Language => self.language.as_deref(),
            Facet::Level => self.level.as_deref(),
        }
    }
}
