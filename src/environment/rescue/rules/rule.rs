//! The mends that entries of the table name.

use serde::Deserialize;

/// A mend by code of ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// Python 2 is written as Python 3, as far as nothing silent differs.
    Python2,
    /// Tabs become spaces, as Python 2 counts them.
    Tabs,
    /// Paths of another machine become those of the study's files.
    Paths,
    /// The line that changes the working folder is taken out.
    Setwd,
    /// Lines that install packages are taken out.
    RInstallPackages,
    /// Abstract classes are imported from `collections.abc`.
    CollectionsAbc,
    /// Names of `scipy.misc` are imported from where they are.
    ScipyMisc,
    /// Typographic marks become those of the language.
    SmartQuotes,
    /// R's old defaults are attached: no mend of the text.
    R3Shim,
}

impl Rule {
    /// True if the rule changes the script's text.
    pub fn is_textual(self) -> bool {
        self != Self::R3Shim
    }
}
