//! What a daemon is, and which limits it can enforce.

use std::path::Path;

use bollard::models::{SystemInfo, SystemInfoCgroupVersionEnum, SystemVersion};

/// A daemon, described.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
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

/// Whose daemon it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::Display)]
pub enum Engine {
    Docker,
    Podman,
}

impl Facts {
    /// Reads what a daemon says about itself.
    pub fn of(address: &str, version: SystemVersion, info: SystemInfo) -> Self {
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
        // Version 1 cannot be delegated to ordinary users. Podman tells of the machine, not of itself.
        let limits = !(podman && rootless && cgroups == Some(1));
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
            memory_limit: limits && info.memory_limit.unwrap_or(false),
            swap_limit: limits && info.swap_limit.unwrap_or(false),
            process_limit: limits && info.pids_limit.unwrap_or(false),
            cpu_limit: limits && info.cpu_cfs_quota.unwrap_or(false),
            processors: info
                .ncpu
                .and_then(|count| u64::try_from(count).ok())
                .unwrap_or(1)
                .max(1),
            root: info.docker_root_dir.unwrap_or_default(),
            security,
        }
    }

    /// Whether containers run on this machine's own kernel, so that opened
    /// files are seen and its folders are theirs.
    pub fn shares_kernel(&self) -> bool {
        std::fs::read_to_string("/proc/sys/kernel/osrelease")
            .is_ok_and(|release| release.trim() == self.kernel)
    }
}
