//! The archives that an agent comes in, and where each is fetched from.

use std::path::PathBuf;

use reqwest::Url;

use crate::catalog::agents::definition::AgentDefinition;
use crate::catalog::agents::integrity::Integrity;
use crate::catalog::agents::package_registry::PackageRegistry;
use crate::catalog::agents::release::{PinnedWheel, ReleasePackage};
use crate::catalog::agents::runtime_package::RuntimePackage;
use crate::network::download::downloader::ArchiveKind;

use super::error::AgentTreeError;

/// An archive that a package comes in.
pub(super) struct PinnedArchive {
    pub registry: PackageRegistry,
    /// Below the registry's address.
    pub path: String,
    /// The name of its file here.
    pub name: String,
    pub integrity: Integrity,
}

/// An archive that was fetched.
pub(super) struct FetchedArchive {
    pub path: PathBuf,
    pub url: Url,
}

/// All archives of an agent that were fetched.
pub(super) struct FetchedArchives {
    /// Of the package, its own first.
    pub package: Vec<FetchedArchive>,
    /// Of what it runs on, in the definition's order.
    pub runtime: Vec<FetchedArchive>,
}

impl FetchedArchives {
    pub(super) fn all(&self) -> impl Iterator<Item = &FetchedArchive> {
        self.package.iter().chain(&self.runtime)
    }
}

impl PinnedArchive {
    pub(super) fn kind(&self) -> ArchiveKind {
        match self.registry {
            PackageRegistry::Npm => ArchiveKind::Gzip,
            PackageRegistry::PyPI => ArchiveKind::Zip,
        }
    }

    /// The archives of a package, its own first.
    pub(super) fn of_package(definition: &AgentDefinition, package: &ReleasePackage) -> Vec<Self> {
        let registry = package.registry;
        match registry {
            PackageRegistry::Npm => vec![Self {
                registry,
                path: package.path(),
                name: format!("{}-{}.tgz", definition.agent, package.version),
                integrity: package.integrity.clone(),
            }],
            PackageRegistry::PyPI => package.wheels().into_iter().map(Self::of_wheel).collect(),
        }
    }

    /// The archive of a package that an agent runs on.
    pub(super) fn of_runtime(package: &RuntimePackage) -> Self {
        let path = package.path();
        Self {
            registry: package.registry,
            name: path.rsplit('/').next().unwrap_or(&path).to_owned(),
            path,
            integrity: package.integrity.clone(),
        }
    }

    fn of_wheel(wheel: PinnedWheel) -> Self {
        Self {
            registry: PackageRegistry::PyPI,
            name: wheel.file().to_owned(),
            integrity: wheel.integrity,
            path: wheel.wheel,
        }
    }
}

/// Other addresses of registries, such as a mirror's.
#[derive(Debug, Clone, Copy, Default)]
pub struct Mirrors<'a>(&'a [String]);

impl<'a> Mirrors<'a> {
    /// From texts of the forms `URL`, which is of the registry of an agent's own package, and `npm=URL` or
    /// `PyPI=URL`.
    pub fn new(texts: &'a [String]) -> Self {
        Self(texts)
    }

    /// The address of an archive of an agent whose own package is in `own`.
    ///
    /// # Errors
    /// A text that is no address.
    pub(super) fn url(self, archive: &PinnedArchive, own: PackageRegistry) -> Result<Url, AgentTreeError> {
        let base = self.base(archive.registry, own);
        let text = format!("{}/{}", base.trim_end_matches('/'), archive.path);
        text.parse().map_err(
            |error: <Url as std::str::FromStr>::Err| AgentTreeError::Registry {
                registry: base.to_owned(),
                why: error.to_string(),
            },
        )
    }

    /// The address of a registry; the last text that names it counts.
    fn base(self, registry: PackageRegistry, own: PackageRegistry) -> &'a str {
        let named = self.0.iter().rev().find_map(|text| {
            let (of, address) = split(text);
            (of.unwrap_or(own) == registry).then_some(address)
        });
        named.unwrap_or_else(|| registry.address())
    }
}

/// The registry that a text names, and the address that it has.
fn split(text: &str) -> (Option<PackageRegistry>, &str) {
    let named = |registry: PackageRegistry| {
        let address = text.strip_prefix(registry.word())?.strip_prefix('=')?;
        Some((Some(registry), address))
    };
    PackageRegistry::ALL
        .into_iter()
        .find_map(named)
        .unwrap_or((None, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_registry_has_a_mirror_of_its_own() {
        let texts = ["https://one", "PyPI=https://two/simple?a=b"].map(str::to_owned);
        let mirrors = Mirrors::new(&texts);
        let (npm, pypi) = (PackageRegistry::Npm, PackageRegistry::PyPI);
        assert_eq!(mirrors.base(npm, npm), "https://one");
        assert_eq!(mirrors.base(pypi, npm), "https://two/simple?a=b");
        assert_eq!(mirrors.base(npm, pypi), npm.address());
        assert_eq!(Mirrors::default().base(pypi, npm), pypi.address());
    }
}
