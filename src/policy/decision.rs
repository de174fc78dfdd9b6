//! The gate's decision: allow, ask or forbid.

use serde::{Deserialize, Serialize};

/// A decision on one subject.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    Allow,
    /// A person decides.
    Ask,
    /// No, with a sentence for the agent that says what to do instead.
    Forbid(String),
}
