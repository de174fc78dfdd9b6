//! Making an image from a plan, or finding it ready.

use tokio_util::sync::CancellationToken;

use super::plan::Plan;
use crate::domain::execution::{BuildFailure, Environment};
use crate::sandbox::contract::Lines;
use crate::sandbox::docker::daemon::Daemon;
use crate::sandbox::docker::settings::DockerSettings;
use crate::sandbox::failure::infrastructure;

/// Makes the image, or finds it ready. Two at once share one build.
pub async fn prepare(
    _daemon: &Daemon,
    _settings: &DockerSettings,
    _plan: &Plan,
    _cancel: &CancellationToken,
    _progress: Lines<'_>,
) -> Result<Environment, BuildFailure> {
    Err(infrastructure("Images cannot be built yet.", String::new()))
}
