//! Registries that packages are fetched from, and how each lays out its archives.

use serde::{Deserialize, Serialize};

/// A registry that packages are fetched from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum PackageRegistry {
    #[serde(rename = "npm")]
    Npm,
    PyPI,
}

impl PackageRegistry {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Npm, Self::PyPI];

    /// Its name, as definitions and people write it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Npm => "npm",
            Self::PyPI => "PyPI",
        }
    }

    /// The address below which its packages are.
    pub fn address(self) -> &'static str {
        match self {
            Self::Npm => "https://registry.npmjs.org",
            Self::PyPI => "https://files.pythonhosted.org",
        }
    }
}

/// A package by what its archive is found with.
pub(super) struct PackageArchive<'a> {
    pub registry: PackageRegistry,
    pub package: &'a str,
    pub version: &'a str,
    /// Its wheel, below the registry's address; of PyPI.
    pub wheel: Option<&'a str>,
}

impl PackageArchive<'_> {
    /// The package as people name it.
    pub(super) fn name(&self) -> String {
        format!("{} {} {}", self.package, self.registry.word(), self.version)
    }

    /// The path of its archive below the registry's address.
    pub(super) fn path(&self) -> String {
        match self.registry {
            PackageRegistry::Npm => {
                let name = self.package.rsplit('/').next().unwrap_or(self.package);
                format!("{}/-/{name}-{}.tgz", self.package, self.version)
            }
            PackageRegistry::PyPI => self.wheel.unwrap_or_default().to_owned(),
        }
    }

    /// What keeps it from being fetched, in a sentence.
    pub(super) fn fault(&self) -> Option<String> {
        let is_name = |part: &str| is_plain(part.strip_prefix('@').unwrap_or(part));
        if !self.package.split('/').all(is_name) {
            return Some(format!("`{}` is no name of a package", self.package));
        }
        if !is_plain(self.version) {
            return Some(format!("`{}` is no version", self.version));
        }
        match self.registry {
            PackageRegistry::Npm => None,
            PackageRegistry::PyPI => wheel_fault(self.wheel.unwrap_or_default()),
        }
    }
}

/// What keeps a wheel from being fetched, in a sentence.
pub(super) fn wheel_fault(wheel: &str) -> Option<String> {
    let is_path = wheel.ends_with(".whl") && wheel.split('/').all(is_plain);
    (!is_path).then(|| format!("`{wheel}` is no path of a wheel below the registry's address"))
}

/// Whether a text is one plain word, which leads nowhere in a path or an address.
fn is_plain(word: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.+".contains(&byte);
    !word.is_empty() && !word.starts_with('.') && word.bytes().all(is_letter)
}
