//! Configuration that a container would inherit from its image.

use crate::sandbox::contract::SandboxError;
use crate::sandbox::docker::daemon::{Daemon, status, words};

/// The parts of an image's configuration that matter to a container of ours.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BaseConfiguration {
    /// The image's own search path.
    pub path: Option<String>,
    /// Folders that the image declares as volumes.
    pub volumes: Vec<String>,
}

impl BaseConfiguration {
    /// Reads an image's configuration.
    ///
    /// # Errors
    /// [`SandboxError::EnvironmentGone`] when the image was removed.
    pub async fn read(daemon: &Daemon, image: &str) -> Result<Self, SandboxError> {
        let found = daemon
            .within(daemon.client.inspect_image(image))
            .await
            .map_err(|error| {
                if status(&error) == Some(404) {
                    SandboxError::EnvironmentGone(image.to_owned())
                } else {
                    SandboxError::Failed(format!(
                        "the image {image} cannot be inspected: {}",
                        words(&error)
                    ))
                }
            })?;
        let Some(config) = found.config else {
            return Ok(Self::default());
        };
        let mut volumes = config.volumes.unwrap_or_default();
        volumes.sort_unstable();
        Ok(Self {
            path: config
                .env
                .unwrap_or_default()
                .iter()
                .find_map(|variable| variable.strip_prefix("PATH=").map(str::to_owned)),
            volumes,
        })
    }

    /// A search path with the image's own folders before `usual`.
    pub fn search_path(&self, usual: &str) -> String {
        let mut folders: Vec<&str> = Vec::new();
        for folder in self
            .path
            .iter()
            .flat_map(|path| path.split(':'))
            .chain(usual.split(':'))
        {
            // A relative folder would be one of the workspace's.
            if folder.starts_with('/') && !folders.contains(&folder) {
                folders.push(folder);
            }
        }
        folders.join(":")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_images_own_programs_come_first_and_relative_folders_never() {
        let base = BaseConfiguration {
            path: Some("/opt/venv/bin::.:work:/usr/bin".to_owned()),
            volumes: Vec::new(),
        };
        assert_eq!(
            base.search_path("/usr/local/bin:/usr/bin:/bin"),
            "/opt/venv/bin:/usr/bin:/usr/local/bin:/bin"
        );
        assert_eq!(BaseConfiguration::default().search_path("/usr/bin"), "/usr/bin");
    }
}
