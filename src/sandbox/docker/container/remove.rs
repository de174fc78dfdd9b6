//! Taking a container away, whatever state it is in.

use std::time::Duration;

use bollard::errors::Error;
use bollard::query_parameters::{InspectContainerOptions, RemoveContainerOptions, RemoveVolumeOptions};

use crate::sandbox::docker::daemon::{Daemon, status, words};

/// How often it is tried.
const ATTEMPTS: u32 = 6;

/// Ends and removes a container with its volumes; returns once they are gone.
///
/// # Errors
/// In words: why something is still there.
pub async fn remove(daemon: &Daemon, name: &str, volumes: &[String]) -> Result<(), String> {
    container(daemon, name).await?;
    for volume in volumes {
        let removed = daemon
            .client
            .remove_volume(volume, Some(RemoveVolumeOptions { force: true }));
        if let Err(error) = daemon.within(removed).await
            && status(&error) != Some(404)
        {
            return Err(words(&error));
        }
    }
    Ok(())
}

async fn container(daemon: &Daemon, name: &str) -> Result<(), String> {
    let mut why = String::new();
    for attempt in 0..ATTEMPTS {
        if attempt > 0 {
            tokio::time::sleep(Duration::from_millis(50 << attempt)).await;
        }
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
            Err(error @ Error::DockerResponseServerError { .. }) => why = words(&error),
            // Nobody answers, and asking again at once changes nothing.
            Err(error) => return Err(words(&error)),
        }
    }
    Err(why)
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
