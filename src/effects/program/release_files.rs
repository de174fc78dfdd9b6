//! The files of an agent's release, held against what was added.

use crate::capsule::archive::tree_digest::digest_of_folder;
use crate::engine::error::EngineError;
use crate::engine::request::AgentRequest;

/// Refuses files that are not those that were added.
///
/// # Errors
/// A folder that is gone, cannot be read, or was changed.
pub async fn ensure_unchanged(request: &AgentRequest) -> Result<(), EngineError> {
    let (Some(release), Some(folder)) = (&request.release, request.files.clone()) else {
        return Ok(());
    };
    let shown = folder.display().to_string();
    let mend = format!("`reprise agents add {} --again` fetches it anew", request.name);
    // Hundreds of megabytes are read.
    let read = tokio::task::spawn_blocking(move || digest_of_folder(&folder)).await;
    let found = read
        .map_err(|error| EngineError::Unusable(error.to_string()))?
        .map_err(|fault| EngineError::Unusable(format!("{fault}; {mend}")))?;
    match found == release.tree {
        true => Ok(()),
        false => Err(EngineError::Unusable(format!(
            "{shown} was changed since {} was added: it has the files {}, and {} were added; {mend}",
            release.package,
            found.short(),
            release.tree.short()
        ))),
    }
}
