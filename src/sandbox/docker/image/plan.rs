//! What an image is made from, and the digest that names it.

use crate::domain::digest::Digest;
use crate::domain::execution::{BuildFailure, EnvironmentSpec};
use crate::sandbox::docker::daemon::Daemon;
use crate::sandbox::docker::settings::DockerSettings;
use crate::sandbox::failure::infrastructure;

/// A specification, resolved against what the daemon has.
#[derive(Debug, Clone)]
pub struct Plan {
    pub id: Digest,
}

impl Plan {
    /// Resolves a specification; pulls nothing and builds nothing.
    pub async fn of(
        _daemon: &Daemon,
        _settings: &DockerSettings,
        _spec: &EnvironmentSpec,
    ) -> Result<Self, BuildFailure> {
        Err(infrastructure("Images cannot be planned yet.", String::new()))
    }
}
