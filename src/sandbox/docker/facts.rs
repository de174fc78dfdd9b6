//! Facts of a daemon: its engine, and the limits that it can enforce.

use std::path::Path;

use bollard::models::{SystemInfo, SystemInfoCgroupVersionEnum, SystemVersion};
use serde::Deserialize;

/// A daemon, described.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DaemonFacts {
    /// Where it was reached.
    pub address: String,
    pub engine: Engine,
    pub version: String,
    pub api_version: String,
    pub operating_system: String,
    pub architecture: String,
    /// Release of the kernel that containers run on.
    pub kernel: String,
    /// 1 or 2.
    pub cgroups: Option<u8>,
    /// The daemon runs as an ordinary user, in a user namespace of its own.
    pub rootless: bool,
    /// Users in containers are other users on the host (`userns-remap`).
    pub remapped: bool,
    pub selinux: bool,
    pub seccomp: bool,
    /// Which limits can be enforced.
    pub memory_limit: bool,
    pub swap_limit: bool,
    pub process_limit: bool,
    pub cpu_limit: bool,
    /// Processors of the machine.
    pub processors: u64,
    /// The folder of images and containers.
    pub root: String,
    pub security: Vec<String>,
}

/// The engine behind a daemon.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::Display)]
pub enum Engine {
    Docker,
    Podman,
}

impl DaemonFacts {
    /// Reads what a daemon says about itself.
    pub fn new(address: &str, version: SystemVersion, info: SystemInfo) -> Self {
        let podman = version
            .components
            .iter()
            .flatten()
            .any(|part| part.name.starts_with("Podman"));
        let security = info.security_options.unwrap_or_default();
        let has = |name: &str| {
            security.iter().any(|option| {
                option
                    .split(',')
                    .any(|part| part == name || part == format!("name={name}"))
            })
        };
        let cgroups = match info.cgroup_version {
            Some(SystemInfoCgroupVersionEnum::_1) => Some(1),
            Some(SystemInfoCgroupVersionEnum::_2) => Some(2),
            // Podman does not say; its containers are this machine's.
            _ if podman => Some(if Path::new("/sys/fs/cgroup/cgroup.controllers").exists() {
                2
            } else {
                1
            }),
            _ => None,
        };
        let rootless = has("rootless");
        Self {
            address: address.to_owned(),
            engine: if podman { Engine::Podman } else { Engine::Docker },
            version: version.version.unwrap_or_default(),
            api_version: version.api_version.unwrap_or_default(),
            operating_system: info.operating_system.unwrap_or_default(),
            architecture: info.architecture.or(version.arch).unwrap_or_default(),
            kernel: info.kernel_version.or(version.kernel_version).unwrap_or_default(),
            cgroups,
            rootless,
            remapped: has("userns"),
            selinux: has("selinux"),
            seccomp: has("seccomp"),
            memory_limit: info.memory_limit.unwrap_or(false),
            swap_limit: info.swap_limit.unwrap_or(false),
            process_limit: info.pids_limit.unwrap_or(false),
            cpu_limit: info.cpu_cfs_quota.unwrap_or(false),
            processors: info
                .ncpu
                .and_then(|count| u64::try_from(count).ok())
                .unwrap_or(1)
                .max(1),
            root: info.docker_root_dir.unwrap_or_default(),
            security,
        }
    }

    /// Takes in what a Podman says of itself where it speaks its own language:
    /// to Docker's questions it answers for the machine, whatever it may do itself.
    pub fn correct(&mut self, own: &Podman) {
        let host = &own.host;
        let has = |name: &str| host.cgroup_controllers.iter().any(|one| one == name);
        self.rootless = host.security.rootless;
        self.seccomp = host.security.seccomp_enabled;
        self.selinux = host.security.selinux_enabled;
        self.cgroups = match host.cgroup_version.as_str() {
            "v1" => Some(1),
            "v2" => Some(2),
            _ => self.cgroups,
        };
        // Version 1 cannot be delegated to ordinary users.
        let limits = !(self.rootless && self.cgroups == Some(1));
        self.memory_limit &= limits && has("memory");
        self.swap_limit &= self.memory_limit;
        self.process_limit &= limits && has("pids");
        self.cpu_limit &= limits && has("cpu");
    }

    /// Whether containers run on this machine's own kernel, so that opened
    /// files are seen and its folders are theirs.
    pub fn shares_kernel(&self) -> bool {
        std::fs::read_to_string("/proc/sys/kernel/osrelease")
            .is_ok_and(|release| release.trim() == self.kernel)
    }
}

/// Part of what `/libpod/info` answers.
#[derive(Debug, Deserialize)]
pub struct Podman {
    host: Host,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Host {
    #[serde(default)]
    cgroup_version: String,
    #[serde(default)]
    cgroup_controllers: Vec<String>,
    security: Security,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Security {
    rootless: bool,
    #[serde(default)]
    seccomp_enabled: bool,
    #[serde(default)]
    selinux_enabled: bool,
}

#[cfg(test)]
mod tests {
    use bollard::models::SystemVersionComponents;

    use super::*;

    #[test]
    fn a_podman_is_believed_in_its_own_language() {
        let version = SystemVersion {
            components: Some(vec![SystemVersionComponents {
                name: "Podman Engine".to_owned(),
                version: "4.3.1".to_owned(),
                details: None,
            }]),
            ..SystemVersion::default()
        };
        // What a rootless Podman 4.3 answers to Docker's question.
        let info = SystemInfo {
            memory_limit: Some(true),
            swap_limit: Some(true),
            pids_limit: Some(true),
            cpu_cfs_quota: Some(true),
            ..SystemInfo::default()
        };
        let asked = DaemonFacts::new("unix:///x", version, info);
        assert_eq!(
            (asked.engine, asked.rootless, asked.memory_limit),
            (Engine::Podman, false, true)
        );
        let own = |version: &str, controllers: &str, rootless: bool| {
            let text = format!(
                r#"{{"host": {{"cgroupVersion": "{version}", "cgroupControllers": {controllers}, "security":
                {{"rootless": {rootless}, "seccompEnabled": true, "selinuxEnabled": false}}}}}}"#
            );
            let mut facts = asked.clone();
            facts.correct(&serde_json::from_str(&text).unwrap());
            facts
        };
        let rootless = own("v1", "[]", true);
        assert!(rootless.rootless && rootless.seccomp && rootless.cgroups == Some(1));
        assert!(!rootless.memory_limit && !rootless.process_limit && !rootless.cpu_limit);
        let delegated = own("v2", r#"["memory", "pids"]"#, true);
        assert!(delegated.memory_limit && delegated.process_limit && !delegated.cpu_limit);
        let system = own("v1", r#"["cpu", "memory", "pids"]"#, false);
        assert!(system.memory_limit && system.process_limit && system.cpu_limit && !system.rootless);
    }
}
