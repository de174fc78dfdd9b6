//! The container of a session that outlived the engine which started it.

use bollard::query_parameters::InspectContainerOptions;

use super::owned::list;
use super::user::User;
use crate::domain::ids::RunId;
use crate::sandbox::contract::SandboxError;
use crate::sandbox::docker::daemon::{Daemon, words};
use crate::sandbox::docker::labels::SESSION;

/// A container that runs, and what it was made with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunningSession {
    pub name: String,
    pub user: User,
    /// The container that holds its network, where it has one.
    pub holder: Option<String>,
}

/// The running container of a run's session.
///
/// # Errors
/// A daemon that does not answer.
pub async fn find(daemon: &Daemon, run: &RunId) -> Result<Option<RunningSession>, SandboxError> {
    let sessions = list(daemon, Some(run)).await?;
    let running = sessions
        .into_iter()
        .find(|one| one.role.as_deref() == Some(SESSION) && one.state == "running");
    let Some(running) = running else { return Ok(None) };
    let asked = daemon
        .client
        .inspect_container(&running.name, None::<InspectContainerOptions>);
    let found = daemon.within(asked).await.map_err(|error| {
        SandboxError::Failed(format!(
            "the container {} of the session cannot be inspected: {}",
            running.name,
            words(&error)
        ))
    })?;
    let user = found.config.and_then(|config| config.user).unwrap_or_default();
    let network = found.host_config.and_then(|host| host.network_mode);
    Ok(User::parse(&user, daemon.describe()).map(|user| RunningSession {
        name: running.name,
        user,
        holder: network.and_then(|mode| Some(mode.strip_prefix("container:")?.to_owned())),
    }))
}
