//! One entry of the table.

use serde::Deserialize;

use crate::domain::rescue::Risk;

use super::super::language::Language;
use super::expression::TableExpression;
use super::repairs::repair::Repair;
use super::version::Version;

/// The scripts that an entry is held against.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EntryLanguage {
    Python,
    /// Scripts that are Python 2 by their look: what no message tells.
    Python2,
    R,
    Stata,
    Spss,
    Any,
}

impl EntryLanguage {
    /// True if scripts of this language can show the entry's fault.
    pub fn holds_for(self, language: Language) -> bool {
        match self {
            Self::Any => true,
            Self::Python | Self::Python2 => language == Language::Python,
            Self::R => language == Language::R,
            Self::Stata => language == Language::Stata,
            Self::Spss => language == Language::Spss,
        }
    }
}

/// The evidence that an entry wants.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Needs {
    /// The message or the line of the script.
    #[default]
    Either,
    /// Both of them.
    Both,
    /// The line of the script, whatever was printed.
    Script,
}

/// A name that has gone, and what stands for it.
#[derive(Debug)]
pub struct Renamed {
    /// The old name, as an expression over the whole of it.
    pub old: TableExpression,
    /// The old name, where it is a name and no pattern.
    pub plain: String,
    pub new: String,
}

/// One entry: a fault, how it shows, and its mend.
#[derive(Debug)]
pub struct Entry {
    pub id: String,
    pub language: EntryLanguage,
    /// The interpreter's releases that show the fault: from the first on, before the second.
    pub from: Option<Version>,
    pub before: Option<Version>,
    /// The release that the fault came with, in words.
    pub since: String,
    /// Over one line of what was printed.
    pub message: Option<TableExpression>,
    /// Over one line of the script.
    pub script: Option<TableExpression>,
    /// Strings of the script are blanked out before `script` is held against it.
    pub in_code: bool,
    /// What else the script must hold.
    pub also: Option<TableExpression>,
    /// What the script must not hold.
    pub unless: Option<TableExpression>,
    pub needs: Needs,
    /// Dropped where another entry explains the same message.
    pub general: bool,
    pub names: Vec<Renamed>,
    pub cause: String,
    pub mend: String,
    pub risk: Risk,
    /// Its message says that the script is Python 2.
    pub python2: bool,
    pub repair: Option<Repair>,
}

impl Entry {
    /// What stands for a name that has gone.
    pub fn renamed(&self, name: &str) -> Option<&Renamed> {
        self.names.iter().find(|renamed| renamed.old.is_match(name))
    }

    /// Every expression of the entry.
    pub fn expressions(&self) -> impl Iterator<Item = &TableExpression> {
        let of_names = self.names.iter().map(|renamed| &renamed.old);
        [&self.message, &self.script, &self.also, &self.unless]
            .into_iter()
            .flatten()
            .chain(of_names)
    }
}
