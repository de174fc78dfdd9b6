//! The environment that a capsule was published with.

use std::collections::{BTreeMap, BTreeSet};

/// The languages that environments are made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CodeLanguage {
    Python,
    R,
}

impl CodeLanguage {
    /// The language's own name.
    pub fn word(self) -> &'static str {
        match self {
            Self::Python => "Python",
            Self::R => "R",
        }
    }
}

/// The packages that a Dockerfile installs, of its last stage, and what of it is not followed.
/// Names and versions are as they were written: whoever installs them checks them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PublishedEnvironment {
    /// The image that it starts from.
    pub base: Option<String>,
    /// The languages that the name of this image tells of.
    pub languages: Vec<CodeLanguage>,
    /// Requirements of Python, in the order of the file, each package once.
    pub python: Vec<PublishedRequirement>,
    /// R packages to versions; `None`: any.
    pub r: BTreeMap<String, Option<String>>,
    /// Debian packages, without versions.
    pub system: BTreeSet<String>,
    /// The Python that the image's name or conda asks for, such as `3.8.12`.
    pub python_version: Option<String>,
    /// The R that the image's name or conda asks for, such as `4.1.0`.
    pub r_version: Option<String>,
    /// How parts of it are taken otherwise than they were written, a sentence each.
    pub adapted: Vec<String>,
    pub not_followed: Vec<NotFollowed>,
}

/// A requirement of Python, and the line that asks for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublishedRequirement {
    pub line: usize,
    pub text: String,
}

/// A part of a Dockerfile that is not followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotFollowed {
    /// From 1.
    pub line: usize,
    /// At most 160 characters of it, on one line.
    pub text: String,
    pub why: NotFollowedReason,
}

impl NotFollowed {
    /// The part in a clause.
    pub fn words(&self) -> String {
        format!("line {}, `{}`: {}", self.line, self.text, self.why)
    }
}

/// The reason for which a part of a Dockerfile is not followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotFollowedReason {
    #[error("instructions of this kind are not carried out")]
    Instruction,
    #[error("documents inside of an instruction are not read")]
    HereDocument,
    #[error("of commands, only those that install packages are followed")]
    Command,
    #[error("of R, only the installation of packages is followed")]
    RCode,
    #[error("its quotes do not end")]
    OpenQuote,
    #[error("only a shell would know what it stands for")]
    Dynamic,
    #[error("packages come from an index, not from an address")]
    Address,
    #[error("packages come from an index, not from a file or a folder")]
    LocalPath,
    #[error("packages come from the indexes of whoever runs this")]
    OtherIndex,
    #[error("only packages of CRAN are installed")]
    OtherRepository,
    #[error("it is asked for under a condition")]
    Marker,
    #[error("the capsule has no such file that can be read")]
    NoFile,
    #[error("files of constraints, and files that other files name, are not read")]
    FurtherFile,
    #[error("conda's files are not read")]
    CondaFile,
    #[error("the Python index has no such package of conda's")]
    CondaAlone,
    #[error("it is not the name of a package")]
    NoPackage,
    #[error("it belongs to an earlier stage, which the last one does not begin with")]
    EarlierStage,
    #[error("more than that is not read")]
    TooMuch,
}
