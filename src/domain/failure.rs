//! Causes of failure: closed data, never prose to be parsed later.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The cause of a failed stage, build or execution.
///
/// The first five are the taxonomy of ReplicatorBench (Table 5); the rest are
/// causes that are not the agent's doing or not a failure of the analysis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FailureCause {
    /// The environment could not be made or lacks something the code needs.
    Setup,
    /// Input data could not be found, read or interpreted.
    InputData,
    /// The code itself is wrong.
    Implementation,
    /// The code ran, and its results could not be read from its output.
    ResultExtraction,
    /// A time limit ended it.
    Timeout,
    /// It asked a person for input, and there is none.
    WaitedForInput,
    /// A memory limit ended it.
    OutOfMemory,
    /// A turn, token or money limit ended it.
    Limit,
    /// The agent's answer did not fit its schema after every chance to mend it.
    InvalidAnswer,
    /// The agent repeated a failing action until it was stopped.
    Stuck,
    /// The model declined, or its provider filtered the answer.
    Refused,
    /// A person or a policy said no.
    Cancelled,
    /// The provider, the sandbox or the machine failed.
    Infrastructure,
    /// A signal stopped it.
    Interrupted,
}

impl FailureCause {
    /// The name as written in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Setup => "setup",
            Self::InputData => "input data",
            Self::Implementation => "implementation",
            Self::ResultExtraction => "result extraction",
            Self::Timeout => "timeout",
            Self::WaitedForInput => "waited for input",
            Self::OutOfMemory => "out of memory",
            Self::Limit => "limit",
            Self::InvalidAnswer => "invalid answer",
            Self::Stuck => "stuck",
            Self::Refused => "refused",
            Self::Cancelled => "cancelled",
            Self::Infrastructure => "infrastructure",
            Self::Interrupted => "interrupted",
        }
    }

    /// Whether the agent, rather than the operator or the machine, is at fault.
    pub fn is_agents(self) -> bool {
        !matches!(self, Self::Infrastructure | Self::Interrupted | Self::Cancelled)
    }
}

impl fmt::Display for FailureCause {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}
