//! Removing what an interrupted run left behind.

use std::time::{Duration, Instant};

use bollard::query_parameters::{ListNetworksOptions, ListVolumesOptions, RemoveVolumeOptions};
use nix::unistd::geteuid;

use super::orphans;
use super::owned::{Owned, list};
use super::remove::remove;
use crate::domain::ids::RunId;
use crate::sandbox::contract::SandboxError;
use crate::sandbox::docker::daemon::{Daemon, words};
use crate::sandbox::docker::labels;
use crate::sandbox::ownership;

/// How long containers may take to be gone.
const PATIENCE: Duration = Duration::from_secs(60);

/// Removes the containers, volumes and networks of a run, and gives back what was lent to them.
///
/// # Errors
/// When one of them is still there: its code might still write to the workspace.
pub async fn sweep(daemon: &Daemon, run: &RunId) -> Result<(), SandboxError> {
    let begin = Instant::now();
    let mut swept: Vec<Owned> = Vec::new();
    loop {
        let left = list(daemon, Some(run)).await?;
        if left.is_empty() {
            break;
        }
        for container in left {
            let stays = |why: &dyn std::fmt::Display| {
                SandboxError::Failed(format!(
                    "the container {} of run {run} cannot be removed: {why}",
                    container.name
                ))
            };
            // Before it is removed: whoever comes after a death in between finds it by its label.
            if let Err(why) = orphans::end(&container.id).await
                && container.state != "running"
            {
                return Err(stays(&why));
            }
            if let Err(why) = remove(daemon, &container.id, &[]).await
                && begin.elapsed() > PATIENCE
            {
                return Err(stays(&why));
            }
            if !swept.iter().any(|known| known.id == container.id) {
                swept.push(container);
            }
        }
    }
    give_back(swept).await?;
    volumes(daemon, run).await?;
    networks(daemon, run).await
}

async fn give_back(swept: Vec<Owned>) -> Result<(), SandboxError> {
    if !geteuid().is_root() {
        return Ok(());
    }
    tokio::task::spawn_blocking(move || {
        for folder in swept.iter().filter_map(|container| container.workspace.as_ref()) {
            ownership::reclaim(folder);
        }
    })
    .await
    .map_err(|error| SandboxError::Failed(error.to_string()))
}

async fn volumes(daemon: &Daemon, run: &RunId) -> Result<(), SandboxError> {
    let options = ListVolumesOptions {
        filters: Some(labels::filter(Some(run))),
    };
    let found = daemon
        .client
        .list_volumes(Some(options))
        .await
        .map_err(|error| failed("volumes", &error))?;
    for volume in found.volumes.unwrap_or_default() {
        daemon
            .client
            .remove_volume(&volume.name, Some(RemoveVolumeOptions { force: true }))
            .await
            .map_err(|error| failed("volumes", &error))?;
    }
    Ok(())
}

async fn networks(daemon: &Daemon, run: &RunId) -> Result<(), SandboxError> {
    let options = ListNetworksOptions {
        filters: Some(labels::filter(Some(run))),
    };
    let found = daemon
        .client
        .list_networks(Some(options))
        .await
        .map_err(|error| failed("networks", &error))?;
    for network in found.into_iter().filter_map(|network| network.id) {
        daemon
            .client
            .remove_network(&network)
            .await
            .map_err(|error| failed("networks", &error))?;
    }
    Ok(())
}

fn failed(what: &str, error: &bollard::errors::Error) -> SandboxError {
    SandboxError::Failed(format!("the run's {what} cannot be removed: {}", words(error)))
}
