//! The release of an agent, and the packages that it comes in.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::domain::workspace_path::WorkspacePath;

use super::integrity::Integrity;

/// The release of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentRelease {
    /// The registry: `npm` or `PyPI`.
    pub registry: String,
    pub package: String,
    pub version: String,
    pub license: String,
    /// The packages that `reprise agents add` fetches, one a platform.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub packages: Vec<ReleasePackage>,
}

/// A package of a platform, pinned by version and digest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReleasePackage {
    /// The platform, such as `linux-x64`.
    pub platform: String,
    pub registry: PackageRegistry,
    pub package: String,
    pub version: String,
    pub integrity: Integrity,
    /// Files of the package by the names that they get in the agent's folder, such as `bin/codex`; of npm.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub programs: BTreeMap<WorkspacePath, WorkspacePath>,
    /// The package's wheel, below the registry's address; of PyPI.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wheel: Option<String>,
    /// The wheels of everything that it needs; of PyPI.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<PinnedWheel>,
    /// The release of Python that the wheels are for, such as `3.11`; absent where any does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub python: Option<String>,
}

/// A wheel, pinned by its address and digest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PinnedWheel {
    /// Below the registry's address.
    pub wheel: String,
    pub integrity: Integrity,
}

/// A registry that packages are fetched from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum PackageRegistry {
    #[serde(rename = "npm")]
    Npm,
    PyPI,
}

impl PackageRegistry {
    /// The address below which its packages are.
    pub fn address(self) -> &'static str {
        match self {
            Self::Npm => "https://registry.npmjs.org",
            Self::PyPI => "https://files.pythonhosted.org",
        }
    }
}

impl AgentRelease {
    /// The package of a platform.
    pub fn of_platform(&self, platform: &str) -> Option<&ReleasePackage> {
        self.packages.iter().find(|package| package.platform == platform)
    }

    /// The platforms that it has packages of.
    pub fn platforms(&self) -> String {
        let platforms: Vec<&str> = self
            .packages
            .iter()
            .map(|package| package.platform.as_str())
            .collect();
        platforms.join(", ")
    }

    /// What keeps it from being fetched, in a sentence.
    pub(super) fn fault(&self) -> Option<String> {
        self.packages.iter().find_map(ReleasePackage::fault)
    }
}

impl ReleasePackage {
    /// The package as people name it.
    pub fn name(&self) -> String {
        let registry = match self.registry {
            PackageRegistry::Npm => "npm",
            PackageRegistry::PyPI => "PyPI",
        };
        format!("{} {registry} {}", self.package, self.version)
    }

    /// The path of its archive below the registry's address.
    pub fn path(&self) -> String {
        match self.registry {
            PackageRegistry::Npm => {
                let name = self.package.rsplit('/').next().unwrap_or(&self.package);
                format!("{}/-/{name}-{}.tgz", self.package, self.version)
            }
            PackageRegistry::PyPI => self.wheel.clone().unwrap_or_default(),
        }
    }

    /// The wheels of a package of PyPI, its own first.
    pub fn wheels(&self) -> Vec<PinnedWheel> {
        let own = PinnedWheel {
            wheel: self.path(),
            integrity: self.integrity.clone(),
        };
        std::iter::once(own).chain(self.needs.iter().cloned()).collect()
    }

    fn fault(&self) -> Option<String> {
        if !self
            .package
            .split('/')
            .all(|part| is_plain(part.strip_prefix('@').unwrap_or(part)))
        {
            return Some(format!("`{}` is no name of a package", self.package));
        }
        if !is_plain(&self.version) {
            return Some(format!("`{}` is no version", self.version));
        }
        match self.registry {
            PackageRegistry::Npm => self
                .programs
                .is_empty()
                .then(|| format!("the package of {} names no `programs`", self.platform)),
            PackageRegistry::PyPI => self.wheels().iter().find_map(PinnedWheel::fault),
        }
    }
}

impl PinnedWheel {
    /// The name of its file.
    pub fn file(&self) -> &str {
        self.wheel.rsplit('/').next().unwrap_or(&self.wheel)
    }

    fn fault(&self) -> Option<String> {
        let is_path = self.wheel.ends_with(".whl") && self.wheel.split('/').all(is_plain);
        (!is_path).then(|| {
            format!(
                "`{}` is no path of a wheel below the registry's address",
                self.wheel
            )
        })
    }
}

/// Whether a text is one plain word, which leads nowhere in a path or an address.
fn is_plain(word: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.+".contains(&byte);
    !word.is_empty() && !word.starts_with('.') && word.bytes().all(is_letter)
}

/// The platform of this program, as npm names it.
pub fn this_platform() -> String {
    let machine = match std::env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        other => other,
    };
    format!("{}-{machine}", std::env::consts::OS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_has_one_address_and_no_name_leads_elsewhere() {
        let package = |package: &str, version: &str| ReleasePackage {
            platform: "linux-x64".to_owned(),
            registry: PackageRegistry::Npm,
            package: package.to_owned(),
            version: version.to_owned(),
            integrity: "sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0="
                .parse()
                .unwrap(),
            programs: [("bin/a".parse().unwrap(), "a".parse().unwrap())].into(),
            wheel: None,
            needs: Vec::new(),
            python: None,
        };
        let scoped = package("@openai/codex", "0.169.0-linux-x64");
        assert_eq!(scoped.path(), "@openai/codex/-/codex-0.169.0-linux-x64.tgz");
        assert_eq!(scoped.fault(), None);
        assert_eq!(package("a", "1.0.0").path(), "a/-/a-1.0.0.tgz");
        for (name, version) in [
            ("../a", "1"),
            ("a//b", "1"),
            ("a?b", "1"),
            ("a", "1/../2"),
            ("a", ""),
            (".a", "1"),
        ] {
            assert!(package(name, version).fault().is_some(), "{name} {version}");
        }
        let of_python = |wheel: &str| ReleasePackage {
            registry: PackageRegistry::PyPI,
            programs: BTreeMap::new(),
            wheel: Some(wheel.to_owned()),
            ..package("a", "1.0.0")
        };
        let whole = of_python("packages/ab/cd/a-1.0.0-py3-none-any.whl");
        assert_eq!(whole.fault(), None);
        assert_eq!(whole.wheels()[0].file(), "a-1.0.0-py3-none-any.whl");
        for wheel in [
            "",
            "a.tar.gz",
            "/a.whl",
            "a/../b.whl",
            "https://a/b.whl",
            "a?b.whl",
        ] {
            assert!(of_python(wheel).fault().is_some(), "{wheel}");
        }
    }
}
