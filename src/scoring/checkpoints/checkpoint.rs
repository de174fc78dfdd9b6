//! The checkpoints by name and key.

use std::fmt;

use serde::{Deserialize, Serialize};
use strum::{EnumIter, IntoEnumIterator};

/// One of the ten execution checkpoints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, EnumIter, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Checkpoint {
    BaseEnvironment,
    Manifest,
    Dependencies,
    HardCodedPaths,
    CodeFiles,
    DataPaths,
    DataLoaded,
    CodeRan,
    OutputsWritten,
    ReportFilled,
}

impl Checkpoint {
    /// All checkpoints, in order.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::iter()
    }

    /// The key in a grading's file.
    pub fn key(self) -> &'static str {
        match self {
            Self::BaseEnvironment => "1.1.1",
            Self::Manifest => "1.1.2",
            Self::Dependencies => "1.2",
            Self::HardCodedPaths => "1.3.1",
            Self::CodeFiles => "1.3.2",
            Self::DataPaths => "1.3.3",
            Self::DataLoaded => "2.1.1",
            Self::CodeRan => "2.2.2",
            Self::OutputsWritten => "2.3.1",
            Self::ReportFilled => "2.3.2",
        }
    }

    /// The aspect in a grading's file, in its spelling.
    pub fn aspect(self) -> &'static str {
        match self {
            Self::BaseEnvironment | Self::Manifest => "environment",
            Self::Dependencies => "dependecy",
            Self::HardCodedPaths | Self::CodeFiles | Self::DataPaths => "file_system",
            Self::DataLoaded | Self::CodeRan => "code_execution",
            Self::OutputsWritten | Self::ReportFilled => "execution_report",
        }
    }

    /// The half of a grading's file.
    pub fn half(self) -> &'static str {
        match self {
            Self::DataLoaded | Self::CodeRan | Self::OutputsWritten | Self::ReportFilled => "execute",
            _ => "evaluate_design",
        }
    }

    /// The question that is asked.
    pub fn question(self) -> &'static str {
        match self {
            Self::BaseEnvironment => "Is a base environment named, and could it be made?",
            Self::Manifest => "Does a file declare what the analysis needs?",
            Self::Dependencies => "Is every package that the code uses declared?",
            Self::HardCodedPaths => "Is the code free of paths that exist on one machine only?",
            Self::CodeFiles => "Do all code files of the plan exist?",
            Self::DataPaths => "Is all data of the plan where the plan says?",
            Self::DataLoaded => "Did the code read the planned data?",
            Self::CodeRan => "Did every script end without an error?",
            Self::OutputsWritten => "Are the expected outputs there, and not empty?",
            Self::ReportFilled => "Is the report filled in with numbers that the output holds?",
        }
    }
}

impl fmt::Display for Checkpoint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.key())
    }
}

/// The decision on one checkpoint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckpointDecision {
    pub checkpoint: Checkpoint,
    /// Passed or not; absent when the facts do not decide it.
    pub passed: Option<bool>,
    /// One sentence with the facts that decided, or what is missing.
    pub evidence: String,
}

impl CheckpointDecision {
    /// Takes what has not come to pass as open, for the reason that more could
    /// have followed.
    pub fn leave_open(&mut self, why: &str) {
        if self.passed != Some(true) {
            self.passed = None;
            self.evidence = format!("Not reached: {why}. {}", self.evidence);
        }
    }
}
