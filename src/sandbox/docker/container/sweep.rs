//! Removing what an interrupted run left behind.

use crate::domain::ids::RunId;
use crate::sandbox::contract::SandboxError;
use crate::sandbox::docker::daemon::Daemon;

/// Removes the containers and networks of a run.
pub async fn sweep(_daemon: &Daemon, _run: &RunId) -> Result<(), SandboxError> {
    Err(SandboxError::Failed("containers cannot be swept yet".to_owned()))
}
