//! A container that is gone when nobody holds it any more.

use bollard::errors::Error;
use bollard::query_parameters::CreateContainerOptions;

use crate::sandbox::docker::container::hardening::ConfinedBody;
use crate::sandbox::docker::container::remove::{StillThere, remove};
use crate::sandbox::docker::daemon::Daemon;

/// A container for a moment, removed when it is dropped.
pub struct EphemeralContainer {
    daemon: Daemon,
    id: String,
}

impl EphemeralContainer {
    /// Creates it, without starting it, under a name of its own or the daemon's choice.
    ///
    /// # Errors
    /// A daemon that does not answer, or that refuses the container.
    pub async fn create(daemon: &Daemon, name: Option<String>, body: ConfinedBody) -> Result<Self, Error> {
        let options = name.map(|name| CreateContainerOptions {
            name: Some(name),
            ..CreateContainerOptions::default()
        });
        let created = daemon.client.create_container(options, body.for_daemon()).await?;
        Ok(Self {
            daemon: daemon.clone(),
            id: created.id,
        })
    }

    /// One that is there already, from here on in these hands.
    pub fn of(daemon: &Daemon, id: String) -> Self {
        Self {
            daemon: daemon.clone(),
            id,
        }
    }

    /// Its identifier.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Removes it, and waits until it is gone.
    ///
    /// # Errors
    /// Why it is still there. It is found by its label later.
    pub async fn remove(mut self) -> Result<(), StillThere> {
        let id = std::mem::take(&mut self.id);
        remove(&self.daemon, &id, &[]).await
    }
}

impl Drop for EphemeralContainer {
    fn drop(&mut self) {
        let id = std::mem::take(&mut self.id);
        if id.is_empty() {
            return;
        }
        let daemon = self.daemon.clone();
        // What this does not reach is found by its label later.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move { remove(&daemon, &id, &[]).await });
        }
    }
}
