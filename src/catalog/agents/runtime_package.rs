//! A package that an agent runs on, such as the interpreter of its language.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::domain::workspace_path::WorkspacePath;

use super::integrity::Integrity;
use super::package_registry::{PackageArchive, PackageRegistry};

/// A package beside an agent's own, of whichever registry. Of its files those that are named are taken, and no
/// others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuntimePackage {
    pub registry: PackageRegistry,
    pub package: String,
    pub version: String,
    pub integrity: Integrity,
    /// Its files by the names that they get in the agent's folder, such as `bin/node`.
    pub programs: BTreeMap<WorkspacePath, WorkspacePath>,
    /// Its wheel, below the registry's address; of PyPI.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wheel: Option<String>,
}

impl RuntimePackage {
    /// The package as people name it.
    pub fn name(&self) -> String {
        self.archive().name()
    }

    /// The path of its archive below the registry's address.
    pub fn path(&self) -> String {
        self.archive().path()
    }

    /// What keeps it from being fetched, in a sentence.
    pub(super) fn fault(&self) -> Option<String> {
        let empty = || format!("the package {} names no `programs`", self.package);
        let fault = self.archive().fault();
        fault.or_else(|| self.programs.is_empty().then(empty))
    }

    fn archive(&self) -> PackageArchive<'_> {
        PackageArchive {
            registry: self.registry,
            package: &self.package,
            version: &self.version,
            wheel: self.wheel.as_deref(),
        }
    }
}
