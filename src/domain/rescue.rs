//! Faults of old code on newer interpreters, and mends of them, as a run keeps them.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::content::Content;
use super::digest::Digest;

/// The risk of a mend to results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Risk {
    /// The mended code computes what the old one did.
    None,
    /// It does so unless something holds that a program cannot see.
    MayChange,
    /// The old and the new interpreter compute different things; which is meant is a person's to say.
    Changes,
}

impl fmt::Display for Risk {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::None => "does not change results",
            Self::MayChange => "may change results",
            Self::Changes => "changes results",
        })
    }
}

/// The evidence of a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Basis {
    /// The command printed the message.
    Message,
    /// The script holds the line; nothing was printed of it.
    Script,
}

/// A fault that the table of messages knows, its cause and its mend.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownFault {
    /// The entry of the table.
    pub id: String,
    pub basis: Basis,
    /// The number of the notebook's cell, which the line is counted in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cell: Option<u64>,
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
    /// The R package that a `library()` line at the top attaches, if that is the mend and no other package would do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attach: Option<String>,
}

/// A mend of a script's text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mend {
    /// The entry of the table.
    pub id: String,
    pub risk: Risk,
}

/// The faults that a failed execution shows, by the table of messages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RescueFindings {
    /// The table's version.
    pub table: u32,
    pub faults: Vec<KnownFault>,
    /// Packages of the sandbox's R that export what the script lacks; absent where R was not asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub installed: Option<Vec<ExportedName>>,
    /// The mends that change no result, where the script's text can be mended so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposed: Option<ProposedMends>,
}

/// A name of R, and the installed packages that export it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportedName {
    pub name: String,
    pub packages: Vec<String>,
}

/// A script with its mends made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProposedMends {
    pub mends: Vec<Mend>,
    /// A unified difference.
    pub diff: Content,
    /// The digest of the mended text: a later execution of it shows that the mends were made.
    pub mended: Digest,
}
