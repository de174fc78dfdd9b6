//! A fault of old code that was recognised.

use serde::{Deserialize, Serialize};

use super::entry::Risk;

/// The evidence of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Basis {
    /// The command printed the message.
    Message,
    /// The script holds the line; nothing was printed of it.
    Script,
}

/// A fault, its cause and its mend.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// The entry of the table.
    pub id: String,
    pub basis: Basis,
    /// The line of the script, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// The line that was printed, or the line of the script.
    pub shown: String,
    pub cause: String,
    pub mend: String,
    pub risk: Risk,
    /// The release that the fault came with.
    pub since: String,
    /// True if the mend of the script's text can be proposed.
    pub textual: bool,
}
