//! The repairs that entries of the table name.

use serde::Deserialize;

/// A change of a script's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Repair {
    /// Paths of another machine become those of the study's files.
    Paths,
    /// The line that changes the working folder is taken out as well.
    Setwd,
}
