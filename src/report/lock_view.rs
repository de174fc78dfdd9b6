//! The lock that a run's environments were held to.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::domain::content::Content;
use crate::domain::digest::Digest;
use crate::environment::lock::{EnvironmentLock, LARGEST};

use super::text::Loader;

/// The lock of a run, in short; the whole is in its store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LockView {
    /// As approvals cover it.
    pub digest: Digest,
    /// The digest of its text in the store.
    pub stored: Digest,
    pub as_of: Date,
    pub packages: usize,
    /// What was wanted when it was made, and not had.
    pub not_had: Vec<String>,
    /// The reasons for interpreters that were chosen by the wheels of packages, whole sentences.
    #[serde(default)]
    pub wheels: Vec<String>,
}

impl LockView {
    /// Reads it; `None` of one that cannot be read, which the report then says.
    pub fn read(content: &Content, loader: &Loader<'_>) -> Option<Self> {
        let text = loader.text(content, LARGEST, "The lock of the environment");
        let lock = EnvironmentLock::parse(text.text.as_bytes()).ok()?;
        Some(Self {
            digest: lock.digest(),
            stored: content.digest(),
            as_of: lock.as_of.day,
            packages: lock.packages.len(),
            not_had: lock.not_had.iter().map(|one| one.name.clone()).collect(),
            wheels: (lock.interpreters.iter())
                .filter(|one| !one.wheels.is_empty())
                .map(|one| one.reason.clone())
                .collect(),
        })
    }
}
