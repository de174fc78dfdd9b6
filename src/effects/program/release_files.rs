//! The files of an agent, compared with those that were asked for.

use std::path::Path;

use crate::capsule::archive::tree_digest::digest_of_folder;
use crate::domain::digest::Digest;
use crate::engine::error::EngineError;
use crate::engine::request::AgentRequest;

/// Refuses files that are not those that were added, or that the run was asked for with.
///
/// # Errors
/// A folder that is gone, cannot be read, or was changed.
pub async fn ensure_unchanged(request: &AgentRequest) -> Result<(), EngineError> {
    let Some(folder) = &request.files else {
        return Ok(());
    };
    match (&request.release, request.files_digest) {
        (Some(release), _) => {
            let again = format!("`reprise agents add {} --again` fetches it anew", request.name);
            let since = format!("{} was added", release.package);
            ensure(folder, release.tree, &since, &again).await
        }
        (None, Some(digest)) => {
            let back = "put the approved files back, or begin another run";
            ensure(folder, digest, "the run was begun", back).await
        }
        (None, None) => Ok(()),
    }
}

async fn ensure(folder: &Path, wanted: Digest, since: &str, way_out: &str) -> Result<(), EngineError> {
    let shown = folder.display();
    let folder = folder.to_owned();
    // Hundreds of megabytes are read.
    let read = tokio::task::spawn_blocking(move || digest_of_folder(&folder)).await;
    let found = read
        .map_err(|error| EngineError::Unusable(error.to_string()))?
        .map_err(|fault| EngineError::Unusable(format!("{fault}; {way_out}")))?;
    match found == wanted {
        true => Ok(()),
        false => Err(EngineError::Unusable(format!(
            "{shown} was changed since {since}: its files have the digest {}, and not {}; {way_out}",
            found.short(),
            wanted.short()
        ))),
    }
}
