//! Confinement of every container: capabilities, privileges and devices that it is refused.

use bollard::models::HostConfig;

/// The user of a container that needs no file of its own: nobody.
pub const NOBODY: &str = "65534:65534";

/// No network, no capability, no way to more privileges, a root that nobody writes, and
/// shared memory of its own. What a container is given stands where it is made.
pub fn confined() -> HostConfig {
    HostConfig {
        network_mode: Some("none".to_owned()),
        cap_drop: Some(vec!["ALL".to_owned()]),
        security_opt: Some(vec!["no-new-privileges".to_owned()]),
        privileged: Some(false),
        readonly_rootfs: Some(true),
        ipc_mode: Some("private".to_owned()),
        auto_remove: Some(false),
        ..HostConfig::default()
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    #[test]
    fn no_other_file_says_what_a_container_is_refused() {
        let mut said = Vec::new();
        for entry in walkdir::WalkDir::new(Path::new(env!("CARGO_MANIFEST_DIR"))) {
            let path = entry.unwrap().into_path();
            if path.extension().is_some_and(|extension| extension == "rs")
                && std::fs::read_to_string(&path).unwrap().contains("cap_drop: ")
            {
                said.push(path.file_name().unwrap().to_string_lossy().into_owned());
            }
        }
        assert_eq!(said, ["confined.rs"]);
    }
}
