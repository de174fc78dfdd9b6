//! The images that were made here: listed and removed by their label.

use std::collections::HashMap;

use bollard::Docker;
use bollard::query_parameters::{ListImagesOptionsBuilder, RemoveImageOptionsBuilder};

use crate::sandbox::docker::daemon::Daemon;
use crate::sandbox::docker::labels;

/// An image that was made here, and what it takes up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnedImage {
    pub id: String,
    /// Empty for what an unfinished build left for the next one to reuse.
    pub tags: Vec<String>,
    /// Bytes, layers that other images share included.
    pub bytes: u64,
}

/// Our images, sorted by their identifiers.
///
/// # Errors
/// A daemon that does not answer.
pub async fn images(daemon: &Daemon) -> Result<Vec<OwnedImage>, bollard::errors::Error> {
    list(&daemon.client, labels::filter(None)).await
}

async fn list(
    client: &Docker,
    filter: HashMap<String, Vec<String>>,
) -> Result<Vec<OwnedImage>, bollard::errors::Error> {
    let options = ListImagesOptionsBuilder::default().filters(&filter).build();
    let mut found: Vec<OwnedImage> = client
        .list_images(Some(options))
        .await?
        .into_iter()
        .map(|image| OwnedImage {
            id: image.id,
            tags: image
                .repo_tags
                .into_iter()
                .filter(|tag| tag != "<none>:<none>")
                .collect(),
            bytes: u64::try_from(image.size).unwrap_or_default(),
        })
        .collect();
    found.sort_by(|one, other| one.id.cmp(&other.id));
    Ok(found)
}

/// Removes one of our images with all its tags, and the layers that nothing else needs.
///
/// # Errors
/// A daemon that does not answer, or an image that is in use.
pub async fn remove_image(daemon: &Daemon, id: &str) -> Result<(), bollard::errors::Error> {
    let options = RemoveImageOptionsBuilder::default().force(true).build();
    daemon
        .client
        .remove_image(id, Some(options), None)
        .await
        .map(|_| ())
}
