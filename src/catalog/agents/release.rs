//! The release of an agent, and the packages that it comes in.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::domain::workspace_path::WorkspacePath;

use super::integrity::Integrity;
use super::package_registry::{PackageArchive, PackageRegistry, wheel_fault};
use super::runtime_package::RuntimePackage;

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
    /// What it runs on beside the session's own programs, of whichever registry.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub runtime: Vec<RuntimePackage>,
}

/// A wheel, pinned by its address and digest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PinnedWheel {
    /// Below the registry's address.
    pub wheel: String,
    pub integrity: Integrity,
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
    /// The package as people name it, with what it runs on.
    pub fn name(&self) -> String {
        let runtime = self.runtime.iter().map(RuntimePackage::name);
        let parts: Vec<String> = std::iter::once(self.archive().name()).chain(runtime).collect();
        parts.join(" with ")
    }

    /// The path of its archive below the registry's address.
    pub fn path(&self) -> String {
        self.archive().path()
    }

    fn archive(&self) -> PackageArchive<'_> {
        PackageArchive {
            registry: self.registry,
            package: &self.package,
            version: &self.version,
            wheel: self.wheel.as_deref(),
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
        if let Some(fault) = self.archive().fault() {
            return Some(fault);
        }
        if self.registry == PackageRegistry::Npm && self.programs.is_empty() {
            return Some(format!("the package of {} names no `programs`", self.platform));
        }
        let needs = self.needs.iter().find_map(|need| wheel_fault(&need.wheel));
        needs.or_else(|| self.runtime.iter().find_map(RuntimePackage::fault))
    }
}

impl PinnedWheel {
    /// The name of its file.
    pub fn file(&self) -> &str {
        self.wheel.rsplit('/').next().unwrap_or(&self.wheel)
    }
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
            runtime: Vec::new(),
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
        let runtime = |programs: &[(&str, &str)]| RuntimePackage {
            registry: PackageRegistry::PyPI,
            package: "node".to_owned(),
            version: "24".to_owned(),
            integrity: scoped.integrity.clone(),
            programs: programs
                .iter()
                .map(|(name, file)| (name.parse().unwrap(), file.parse().unwrap()))
                .collect(),
            wheel: Some("packages/node-24-py3-none-any.whl".to_owned()),
        };
        let with = |runtime: RuntimePackage| ReleasePackage {
            runtime: vec![runtime],
            ..scoped.clone()
        };
        let node = with(runtime(&[("bin/node", "node/bin/node")]));
        assert_eq!(node.fault(), None);
        assert_eq!(
            node.name(),
            "@openai/codex npm 0.169.0-linux-x64 with node PyPI 24"
        );
        assert!(with(runtime(&[])).fault().is_some());
    }
}
