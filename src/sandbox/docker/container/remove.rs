//! Taking a container away, whatever state it is in.

use std::time::Duration;

use bollard::errors::Error;
use bollard::query_parameters::{InspectContainerOptions, RemoveContainerOptions};

use crate::sandbox::docker::daemon::{Daemon, status, words};

/// How often it is tried.
const ATTEMPTS: u32 = 6;

/// Ends and removes a container with its anonymous volumes; returns once it is gone.
///
/// # Errors
/// In words: why it is still there.
pub async fn remove(daemon: &Daemon, name: &str) -> Result<(), String> {
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
        match tokio::time::timeout(
            daemon.silence,
            daemon.client.remove_container(name, Some(options)),
        )
        .await
        {
            Ok(Ok(())) => return Ok(()),
            Ok(Err(error)) if status(&error) == Some(404) => return Ok(()),
            // Another removal is under way: look whether it is over.
            Ok(Err(error)) if status(&error) == Some(409) && gone(daemon, name).await => return Ok(()),
            Ok(Err(error @ Error::DockerResponseServerError { .. })) => why = words(&error),
            // Nobody answers, and asking again at once changes nothing.
            Ok(Err(error)) => return Err(words(&error)),
            Err(_) => return Err(format!("no answer within {} seconds", daemon.silence.as_secs())),
        }
    }
    Err(why)
}

async fn gone(daemon: &Daemon, name: &str) -> bool {
    let asked = daemon
        .client
        .inspect_container(name, None::<InspectContainerOptions>);
    match tokio::time::timeout(daemon.silence, asked).await {
        Ok(Err(error)) => status(&error) == Some(404),
        _ => false,
    }
}
