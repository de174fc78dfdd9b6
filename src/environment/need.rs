//! Packages that an analysis needs, each with the places that say so.

use serde::{Deserialize, Serialize};

use super::language::Language;

/// A place in a file of the folder.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SourcePlace {
    /// The path below the folder.
    pub file: String,
    /// From 1; of a notebook, the number of the cell.
    pub line: usize,
}

/// A mention of a package or module in a script.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Mention {
    pub language: Language,
    /// The name as the script has it.
    pub name: String,
    pub place: SourcePlace,
    pub form: MentionForm,
}

/// The form in which a script mentions a package.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MentionForm {
    /// It is loaded: `import`, `library`, a command.
    Loads,
    /// It is loaded where it is there: inside `try`, or `if (require(x))`.
    Tries,
    /// A function of it is called by its full name: `pkg::fn`.
    Calls,
    /// It is installed by the script.
    Installs,
    /// It is installed from an address that is no index.
    InstallsElsewhere,
}

/// The degree to which a package is settled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Certainty {
    /// A lock or a log gives the very version.
    Exact,
    /// The name is known; the version is that of the date.
    ByDate,
    /// It comes with the interpreter.
    WithInterpreter,
    /// The name is not known to be a package: it is asked about, and not installed.
    Unknown,
    /// It is known, and not had from the index that is asked.
    Elsewhere,
    /// It is the folder's own: no index is asked for it.
    Own,
}

/// A package that the analysis needs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackageNeed {
    pub language: Language,
    /// The name under which an index has it.
    pub package: String,
    /// Names by which scripts load it, where they differ.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub loaded_as: Vec<String>,
    pub certainty: Certainty,
    /// The version that the evidence gives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Bounds that the evidence gives, such as `>=1.0,<2`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bounds: Vec<String>,
    /// The digests of its files that the evidence gives, of which the one that is had must be one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sha256: Vec<String>,
    /// A whole sentence each.
    pub reasons: Vec<String>,
}

/// Something that only a person can say.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Question {
    pub language: Language,
    pub name: String,
    /// A whole sentence.
    pub question: String,
    pub places: Vec<SourcePlace>,
}
