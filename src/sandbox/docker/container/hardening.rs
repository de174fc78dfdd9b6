//! Confinement of every container: capabilities, privileges and devices that it is refused.

use bollard::models::{ContainerCreateBody, HostConfig};

/// The user of a container that needs no file of its own: nobody.
pub const NOBODY: &str = "65534:65534";

/// The most that a container may use; `None` where its daemon cannot limit it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContainerBounds {
    /// Bytes.
    pub memory: Option<i64>,
    pub processes: Option<i64>,
}

/// A request for a container with no capability, no way to more privileges and a root
/// that nobody writes. There is no other request that a container is made from.
#[derive(Debug, Clone)]
pub struct ConfinedBody(ContainerCreateBody);

impl ConfinedBody {
    /// Refuses a container everything that it is not given by name: of the network the
    /// way that `given` names, and none as a rule; of the rest nothing, whatever it asks for.
    pub fn new(given: ContainerCreateBody, user: &str, bounds: ContainerBounds) -> Self {
        let host = given.host_config.unwrap_or_default();
        let mut security = vec!["no-new-privileges".to_owned()];
        security.extend(host.security_opt.unwrap_or_default());
        let confined = HostConfig {
            network_mode: host.network_mode.or_else(|| Some("none".to_owned())),
            cap_drop: Some(vec!["ALL".to_owned()]),
            cap_add: None,
            devices: None,
            security_opt: Some(security),
            privileged: Some(false),
            readonly_rootfs: Some(true),
            ipc_mode: Some("private".to_owned()),
            pid_mode: None,
            auto_remove: Some(false),
            memory: bounds.memory,
            pids_limit: bounds.processes,
            ..host
        };
        Self(ContainerCreateBody {
            user: Some(user.to_owned()),
            host_config: Some(confined),
            ..given
        })
    }

    /// The request as the daemon takes it.
    pub fn for_daemon(self) -> ContainerCreateBody {
        self.0
    }
}

#[cfg(test)]
pub(in crate::sandbox::docker) mod tests {
    use std::path::Path;

    use super::*;

    /// Checks everything that a container is refused, and that its memory and processes
    /// are limited.
    pub(in crate::sandbox::docker) fn assert_hardened(body: ConfinedBody) -> HostConfig {
        let body = body.for_daemon();
        let host = body.host_config.unwrap();
        let user = body.user.unwrap();
        assert!(
            !["", "0", "root"].contains(&user.split(':').next().unwrap()),
            "{user}"
        );
        assert_eq!(host.cap_drop.as_deref(), Some(&["ALL".to_owned()][..]));
        assert_eq!(
            (&host.cap_add, &host.devices, &host.pid_mode),
            (&None, &None, &None)
        );
        let security = host.security_opt.as_ref().unwrap();
        assert!(security.contains(&"no-new-privileges".to_owned()), "{security:?}");
        assert_eq!(host.privileged, Some(false));
        assert_eq!(host.readonly_rootfs, Some(true));
        assert_eq!(host.ipc_mode.as_deref(), Some("private"));
        assert_eq!(host.network_mode.as_deref(), Some("none"));
        assert!(host.memory.is_some_and(|memory| memory > 0));
        assert!(host.pids_limit.is_some_and(|processes| processes > 0));
        host
    }

    #[test]
    fn what_a_request_asks_for_is_refused() {
        let greedy = ContainerCreateBody {
            user: Some("root".to_owned()),
            host_config: Some(HostConfig {
                cap_add: Some(vec!["SYS_ADMIN".to_owned()]),
                devices: Some(Vec::new()),
                pid_mode: Some("host".to_owned()),
                privileged: Some(true),
                readonly_rootfs: Some(false),
                ipc_mode: Some("host".to_owned()),
                memory: Some(0),
                ..HostConfig::default()
            }),
            ..ContainerCreateBody::default()
        };
        let bounds = ContainerBounds {
            memory: Some(1 << 20),
            processes: Some(1),
        };
        assert_hardened(ConfinedBody::new(greedy, NOBODY, bounds));
    }

    #[test]
    fn every_container_is_made_from_a_confined_request() {
        let files_with = |text: &str| {
            let mut found = Vec::new();
            for entry in walkdir::WalkDir::new(Path::new(env!("CARGO_MANIFEST_DIR"))) {
                let path = entry.unwrap().into_path();
                if path.extension().is_some_and(|extension| extension == "rs")
                    && std::fs::read_to_string(&path).unwrap().contains(text)
                {
                    found.push(path.file_name().unwrap().to_string_lossy().into_owned());
                }
            }
            found
        };
        // Each creates it from a `ConfinedBody`.
        let mut made = files_with(concat!(".create_", "container("));
        made.sort();
        assert_eq!(made, ["ephemeral.rs", "execute.rs"]);
        let confined = files_with(concat!(".for_", "daemon()"));
        assert!(made.iter().all(|file| confined.contains(file)), "{confined:?}");
        assert_eq!(files_with(concat!("cap_", "drop: ")), ["hardening.rs"]);
    }
}
