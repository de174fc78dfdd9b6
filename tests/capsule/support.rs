//! The daemon of this machine, as the server of packages asks for it.

use reprise::sandbox::docker::daemon::Daemon;

pub async fn daemon() -> Daemon {
    Daemon::connect(&std::env::vars().collect()).await.unwrap()
}
