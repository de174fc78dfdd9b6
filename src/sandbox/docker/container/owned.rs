//! The containers that are ours, of whichever run.

use bollard::query_parameters::ListContainersOptions;

use crate::domain::ids::RunId;
use crate::sandbox::contract::SandboxError;
use crate::sandbox::docker::daemon::{Daemon, words};
use crate::sandbox::docker::labels;

/// A container that carries our label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owned {
    pub id: String,
    pub name: String,
    pub run: RunId,
    /// The daemon's word: `created`, `running`, `exited`, `dead` ...
    pub state: String,
    /// The workspace on the host that it was given.
    pub workspace: Option<std::path::PathBuf>,
}

/// All of our containers, running or not, by name.
pub async fn owned(daemon: &Daemon) -> Result<Vec<Owned>, SandboxError> {
    list(daemon, None).await
}

/// The containers of one run, or of all.
pub async fn list(daemon: &Daemon, run: Option<&RunId>) -> Result<Vec<Owned>, SandboxError> {
    let options = ListContainersOptions {
        all: true,
        filters: Some(labels::filter(run)),
        ..ListContainersOptions::default()
    };
    let found = daemon
        .client
        .list_containers(Some(options))
        .await
        .map_err(|error| {
            SandboxError::Failed(format!("the containers cannot be listed: {}", words(&error)))
        })?;
    let mut all: Vec<Owned> = found
        .into_iter()
        .filter_map(|container| {
            let labels = container.labels.unwrap_or_default();
            Some(Owned {
                id: container.id?,
                name: container
                    .names
                    .unwrap_or_default()
                    .first()
                    .map(|name| name.trim_start_matches('/').to_owned())
                    .unwrap_or_default(),
                run: RunId::new(labels.get(labels::OWNER)?),
                state: container.state.map(|state| state.to_string()).unwrap_or_default(),
                workspace: labels.get(labels::WORKSPACE).map(std::path::PathBuf::from),
            })
        })
        .collect();
    all.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(all)
}
