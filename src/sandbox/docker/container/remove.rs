//! Taking a container away, whatever state it is in.

use std::time::Duration;

use bollard::errors::Error;
use bollard::query_parameters::{InspectContainerOptions, RemoveContainerOptions, RemoveVolumeOptions};

use crate::sandbox::docker::daemon::{Daemon, status, words};

/// How often it is tried.
const ATTEMPTS: u32 = 6;

/// Something of a container that is still there, and the daemon's reason.
#[derive(Debug, thiserror::Error)]
pub enum StillThere {
    #[error("{}", words(.0))]
    Container(Error),
    #[error("{}", words(.0))]
    Volume(Error),
}

/// Ends and removes a container with its volumes; returns once they are gone.
///
/// # Errors
/// A daemon that does not answer, or that refuses to remove something.
pub async fn remove(daemon: &Daemon, name: &str, volumes: &[String]) -> Result<(), StillThere> {
    container(daemon, name).await.map_err(StillThere::Container)?;
    for volume in volumes {
        let removed = daemon
            .client
            .remove_volume(volume, Some(RemoveVolumeOptions { force: true }));
        if let Err(error) = daemon.within(removed).await
            && status(&error) != Some(404)
        {
            return Err(StillThere::Volume(error));
        }
    }
    Ok(())
}

async fn container(daemon: &Daemon, name: &str) -> Result<(), Error> {
    let mut attempt = 1;
    loop {
        let options = RemoveContainerOptions {
            v: true,
            force: true,
            link: false,
        };
        let removed = daemon.client.remove_container(name, Some(options));
        match daemon.within(removed).await {
            Ok(()) => return Ok(()),
            Err(error) if status(&error) == Some(404) => return Ok(()),
            // Another removal is under way: look whether it is over.
            Err(error) if status(&error) == Some(409) && gone(daemon, name).await => return Ok(()),
            Err(Error::DockerResponseServerError { .. }) if attempt < ATTEMPTS => {}
            // Where nobody answers, asking again at once changes nothing.
            Err(error) => return Err(error),
        }
        tokio::time::sleep(Duration::from_millis(50 << attempt)).await;
        attempt += 1;
    }
}

async fn gone(daemon: &Daemon, name: &str) -> bool {
    let asked = daemon
        .client
        .inspect_container(name, None::<InspectContainerOptions>);
    daemon
        .within(asked)
        .await
        .is_err_and(|error| status(&error) == Some(404))
}
