//! The lock of an environment: versions, digests and days, and the reason for each.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::domain::digest::Digest;
use crate::domain::excerpt;

use super::date::AsOf;
use super::interpreter::InterpreterChoice;
use super::language::Language;
use super::need::{Certainty, Question};
use crate::domain::names::normalized;

/// The format that is written, and the beginning of every format.
pub const FORMAT: &str = "reprise-lock/1";
const FORMATS: &str = "reprise-lock/";
/// Bytes of a lock at most.
pub const LARGEST: usize = 16 << 20;

/// An environment, settled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EnvironmentLock {
    pub format: String,
    /// The instant of which it is.
    pub as_of: AsOf,
    /// The machine that its files are for, such as `linux-x86_64`.
    pub platform: String,
    pub interpreters: Vec<InterpreterChoice>,
    /// The indexes that were asked.
    pub sources: Vec<LockSource>,
    /// Of R in an order in which they can be installed; of Python by name.
    pub packages: Vec<LockedPackage>,
    pub not_had: Vec<NotHad>,
    /// The folder's own packages, which no index was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub own: Vec<OwnPackage>,
    pub questions: Vec<Question>,
    /// Whole sentences.
    pub notes: Vec<String>,
}

/// An index or archive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockSource {
    pub language: Language,
    pub address: String,
}

/// A package at a version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockedPackage {
    pub language: Language,
    pub name: String,
    pub version: String,
    /// The name of its file.
    pub file: String,
    pub url: String,
    /// In hexadecimal digits; `None` where the index gives none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// When the index had it; `None` where only the index's day is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub came: Option<Timestamp>,
    /// Whether it has to be built, which runs code of it, in the sandbox.
    pub build: bool,
    pub certainty: Certainty,
    /// Packages that need it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub required_by: Vec<String>,
    /// Whole sentences.
    pub reasons: Vec<String>,
}

/// A package that the folder itself is or holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OwnPackage {
    pub language: Language,
    pub name: String,
    /// Whole sentences.
    pub reasons: Vec<String>,
}

/// A package that is wanted and not had.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NotHad {
    pub language: Language,
    pub name: String,
    /// The version or the bounds that were wanted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wanted: Option<String>,
    /// A clause.
    pub why: String,
    pub reasons: Vec<String>,
}

/// A file that is no lock.
#[derive(Debug, thiserror::Error)]
pub enum LockFault {
    #[error("it has more than the {LARGEST} bytes of a lock")]
    TooLarge,
    #[error("it is no lock of an environment: {0}")]
    Json(#[from] serde_json::Error),
    #[error(
        "its format is `{0}`, and this program reads {FORMAT}: use a newer reprise, or make the lock anew"
    )]
    Format(String),
}

#[derive(Deserialize)]
struct FormatOnly {
    format: String,
}

impl EnvironmentLock {
    /// Reads a lock.
    ///
    /// # Errors
    /// A file that is too large, none, or of another format.
    pub fn parse(bytes: &[u8]) -> Result<Self, LockFault> {
        if bytes.len() > LARGEST {
            return Err(LockFault::TooLarge);
        }
        let FormatOnly { format } = serde_json::from_slice(bytes)?;
        if format != FORMAT && format.starts_with(FORMATS) {
            return Err(LockFault::Format(excerpt::shortened(&format, 40)));
        }
        Ok(serde_json::from_slice(bytes)?)
    }

    /// The text of the lock: the same of the same environment, byte for byte.
    ///
    /// # Errors
    /// A value that JSON cannot hold.
    pub fn text(&self) -> Result<String, serde_json::Error> {
        Ok(format!("{}\n", serde_json::to_string_pretty(self)?))
    }

    /// The digest of its text.
    pub fn digest(&self) -> Digest {
        Digest::compute_json(self)
    }

    /// The platform of this machine, as locks name it.
    pub fn platform_here() -> String {
        format!("linux-{}", std::env::consts::ARCH)
    }

    /// The package of a name that is the folder's own.
    pub fn own(&self, language: Language, name: &str) -> Option<&OwnPackage> {
        let is_it = |own: &&OwnPackage| match language {
            Language::Python => normalized(&own.name) == normalized(name),
            _ => own.name == name,
        };
        self.own.iter().filter(|own| own.language == language).find(is_it)
    }

    /// The packages of a language.
    pub fn packages_of(&self, language: Language) -> impl Iterator<Item = &LockedPackage> {
        self.packages
            .iter()
            .filter(move |package| package.language == language)
    }
}
