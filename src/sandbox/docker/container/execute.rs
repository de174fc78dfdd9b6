//! One execution, from creating the container to removing it.

use tokio_util::sync::CancellationToken;

use crate::sandbox::contract::{Ended, Execution, SandboxError};
use crate::sandbox::docker::daemon::Daemon;

/// Runs one command; the container is gone afterwards.
pub async fn execute(
    _daemon: &Daemon,
    _execution: &Execution,
    _cancel: &CancellationToken,
) -> Result<Ended, SandboxError> {
    Err(SandboxError::Failed("containers cannot run yet".to_owned()))
}
