//! Agents that were added to the cache.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::catalog::agents::definition::AgentDefinition;
use crate::catalog::agents::release::{ReleasePackage, this_platform};
use crate::domain::digest::Digest;
use crate::domain::release_tree::ReleaseTree;
use crate::settings::Settings;

use super::error::AgentTreeError;

/// The account of an agent's files, beside them.
const RECORD: &str = "installed.json";
/// The folder that a sandbox is shown.
const FILES: &str = "files";

/// The agents of a cache.
#[derive(Debug, Clone)]
pub struct AgentTrees {
    root: PathBuf,
}

/// The files of an agent, as they were when it was added.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TreeRecord {
    pub agent: String,
    /// The release's version.
    pub version: String,
    pub package: ReleasePackage,
    /// The address that the package was fetched from.
    pub url: String,
    /// Over all files, links and names.
    pub tree: Digest,
    pub files: u64,
    pub bytes: u64,
    /// The version of the Python that compiled its modules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compiled: Option<String>,
}

/// An agent that was added.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct InstalledTree {
    /// The folder that a sandbox is shown.
    pub folder: PathBuf,
    #[serde(flatten)]
    pub record: TreeRecord,
}

impl InstalledTree {
    /// Whether each start compiles its modules, since no Python of their release was here when it was added.
    pub fn is_uncompiled(&self) -> bool {
        self.record.package.python.is_some() && self.record.compiled.is_none()
    }

    /// The files as a run names them.
    pub fn release(&self) -> ReleaseTree {
        ReleaseTree {
            package: self.record.package.name(),
            tree: self.record.tree,
        }
    }
}

impl AgentTrees {
    pub fn new(settings: &Settings) -> Self {
        Self {
            root: settings.cache.join("agents"),
        }
    }

    /// The folder of everything here.
    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// The folder of a package; another digest or version has another.
    pub(super) fn place(&self, definition: &AgentDefinition, package: &ReleasePackage) -> PathBuf {
        let digest = Digest::compute_json(package).short();
        self.root
            .join(format!("{}-{}-{digest}", definition.agent, package.version))
    }

    /// The agent, where it was added as its definition has it.
    pub fn find(&self, definition: &AgentDefinition) -> Option<InstalledTree> {
        let release = definition.release.as_ref()?;
        let package = release.of_platform(&this_platform())?;
        installed(&self.place(definition, package))
    }
}

/// What stands in a place; `None` where nothing does that is whole.
pub(super) fn installed(place: &Path) -> Option<InstalledTree> {
    let text = fs::read(place.join(RECORD)).ok()?;
    let record = serde_json::from_slice(&text).ok()?;
    let folder = place.join(FILES);
    folder.is_dir().then_some(InstalledTree { folder, record })
}

/// The folder that is shown, in a place.
pub(super) fn shown(place: &Path) -> PathBuf {
    place.join(FILES)
}

/// Writes the account of a place.
///
/// # Errors
/// A disk that cannot be written.
pub(super) fn write_record(place: &Path, record: &TreeRecord) -> Result<(), AgentTreeError> {
    let path = place.join(RECORD);
    let text = serde_json::to_vec_pretty(record)
        .map_err(std::io::Error::from)
        .map_err(AgentTreeError::disk(&path))?;
    fs::write(&path, text).map_err(AgentTreeError::disk(&path))
}
