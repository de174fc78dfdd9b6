//! A container that is gone when nobody holds it any more.

use bollard::Docker;
use bollard::errors::Error;
use bollard::models::ContainerCreateBody;
use bollard::query_parameters::{CreateContainerOptions, RemoveContainerOptionsBuilder};

use crate::sandbox::docker::daemon::Daemon;

/// A container for a moment, removed when it is dropped.
pub struct Passing {
    client: Docker,
    id: String,
}

impl Passing {
    /// Creates it, without starting it.
    pub async fn create(daemon: &Daemon, body: ContainerCreateBody) -> Result<Self, Error> {
        let client = daemon.client.clone();
        let created = client
            .create_container(None::<CreateContainerOptions>, body)
            .await?;
        Ok(Self {
            client,
            id: created.id,
        })
    }

    /// Its identifier.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Removes it, and waits until it is gone.
    pub async fn remove(mut self) {
        remove(self.client.clone(), std::mem::take(&mut self.id)).await;
    }
}

/// What cannot be removed here is found by its label later.
async fn remove(client: Docker, id: String) {
    let options = RemoveContainerOptionsBuilder::default()
        .force(true)
        .v(true)
        .build();
    let _ = client.remove_container(&id, Some(options)).await;
}

impl Drop for Passing {
    fn drop(&mut self) {
        let id = std::mem::take(&mut self.id);
        if id.is_empty() {
            return;
        }
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(remove(self.client.clone(), id));
        }
    }
}
