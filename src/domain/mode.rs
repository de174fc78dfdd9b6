//! The language of the replication code, and access to the study's own.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The language of the replication code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum CodeMode {
    /// Run the study's own scripts in their own language.
    Native,
    /// Translate the analysis to Python.
    Python,
}

/// Access to the study's own code in the workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum CodeAccess {
    /// Data and code.
    Code,
    /// Data alone.
    DataOnly,
}

/// The three settings that the ReplicatorBench paper compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Setting {
    Python,
    Native,
    DataOnly,
}

impl Setting {
    /// The setting of a code mode and a code access; without code to run,
    /// native mode is data-only.
    pub fn new(mode: CodeMode, access: CodeAccess) -> Self {
        match (mode, access) {
            (_, CodeAccess::DataOnly) => Self::DataOnly,
            (CodeMode::Native, CodeAccess::Code) => Self::Native,
            (CodeMode::Python, CodeAccess::Code) => Self::Python,
        }
    }

    /// The name used for recordings and folders.
    pub fn name(self) -> &'static str {
        match self {
            Self::Python => "python",
            Self::Native => "native",
            Self::DataOnly => "data-only",
        }
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}
