//! A command that was seen in a sandbox from outside.

use serde::{Deserialize, Serialize};

/// A command as it stood in the process table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeenCommand {
    pub words: Vec<String>,
    /// The place in its list of the command that started it, where that was seen, too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<usize>,
}
