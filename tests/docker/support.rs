//! The daemon of this machine, or a reason why there is none.

use reprise::sandbox::docker::sandbox::DockerSandbox;
use reprise::sandbox::docker::settings::DockerSettings;

/// A sandbox over the daemon, with a cache that all tests share; `None`, with a
/// message, where no daemon answers. In CI there must be one.
pub async fn sandbox() -> Option<DockerSandbox> {
    let cache = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("docker-cache");
    match DockerSandbox::connect(DockerSettings::new(cache, std::env::vars().collect())).await {
        Ok(sandbox) => Some(sandbox),
        Err(error) => {
            println!("skipped: {error}");
            assert!(std::env::var_os("CI").is_none(), "CI must have Docker: {error}");
            None
        }
    }
}

#[tokio::test]
async fn a_daemon_is_found_or_its_absence_is_said() {
    sandbox().await;
}
