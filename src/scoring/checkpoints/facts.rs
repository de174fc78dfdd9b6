//! The facts of an execution, as plain data.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::domain::execution::Ending;

/// Everything the checkpoints look at; empty or `None` is "not known" wherever
/// a field says so.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CheckpointFacts {
    pub environment: EnvironmentFacts,
    /// The code files of the plan and any that they run, with their text.
    pub code: Vec<CodeFile>,
    /// Absolute folders that exist inside every execution, such as `/workspace`.
    pub inside: Vec<String>,
    /// Paths of the plan's code files.
    pub planned_code: Vec<String>,
    /// Paths of the plan's data files.
    pub planned_data: Vec<String>,
    /// Every file of the workspace, relative to it.
    pub existing: BTreeSet<String>,
    /// The data files that were opened; `None` when nothing was recorded.
    pub opened: Option<OpenedFacts>,
    /// The entry points in order, each with how its last execution ended.
    pub entries: Vec<EntryFacts>,
    /// Outputs that the plan expects; empty when it names none.
    pub expected_outputs: Vec<String>,
    /// Files that the executions wrote, with their sizes in bytes.
    pub outputs: Vec<(String, u64)>,
    /// The agent's execution report, parsed; `None` when there is none.
    pub report: Option<Value>,
    /// The output of the executions; `None` when not kept.
    pub output: Option<OutputFacts>,
}

/// The text of an execution's output.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutputFacts {
    /// Standard output, standard error and the text of written files.
    pub text: String,
    /// True if that is all: no stream cut, no written file left out.
    pub complete: bool,
}

/// The declared environment, and whether it could be made.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EnvironmentFacts {
    pub base_image: Option<String>,
    /// Requirements as declared, such as `pandas>=2.0`.
    pub python: Vec<String>,
    /// R packages as declared, with or without versions.
    pub r: Vec<String>,
    /// Files that declare the environment, such as `replication_info.json`.
    pub manifests: Vec<String>,
    pub build: Build,
}

/// The outcome of making the environment.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Build {
    /// It was never asked for.
    #[default]
    NotTried,
    Made,
    /// The declared environment is at fault; one sentence says how.
    Failed(String),
    /// The machine is at fault, so nothing can be said of the declaration.
    Infrastructure(String),
}

/// One code file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodeFile {
    pub path: String,
    pub text: String,
}

/// One entry point.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntryFacts {
    pub path: String,
    /// `None` when it never ran.
    pub ending: Option<Ending>,
}

/// The recorded file accesses.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenedFacts {
    pub files: BTreeSet<String>,
    /// True if the record is known to have no gaps.
    pub complete: bool,
}
