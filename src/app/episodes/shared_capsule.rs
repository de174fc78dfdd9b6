//! The capsule that lies beneath every episode of a pool, copy-on-write.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::task::JoinError;

use crate::app::program::Program;
use crate::app::sandboxes::sandbox_for;
use crate::app::toolset::Toolset;
use crate::effects::capsule::lay_beneath;
use crate::engine::error::EngineError;
use crate::engine::request::RunRequest;
use crate::sandbox::beneath::NoBeneath;

/// The error of a capsule that cannot be laid out to be shared.
#[derive(Debug, thiserror::Error)]
pub enum ShareError {
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The sandbox shows nothing beneath a folder.
    #[error(transparent)]
    Sandbox(#[from] NoBeneath),
    #[error("the laying out of a capsule broke: {0}")]
    Broken(#[from] JoinError),
}

/// A capsule that was laid out once for many episodes.
#[derive(Debug)]
pub struct SharedCapsule {
    folder: PathBuf,
}

impl SharedCapsule {
    /// Lays the capsule of a request out in a folder, where the request's sandbox can show it beneath
    /// workspaces on the same disk.
    ///
    /// # Errors
    /// A sandbox that cannot, a capsule that cannot be used, or a folder that cannot be written.
    pub async fn lay_out(program: &Program, request: &RunRequest, folder: &Path) -> Result<Self, ShareError> {
        let toolset = Toolset::for_request(program, request)?;
        let sandbox = sandbox_for(&program.settings, request, &toolset.catalog, &toolset.parts).await?;
        let none = || EngineError::Unusable("an episode has no sandbox".to_owned());
        let sandbox = sandbox.ok_or_else(none)?;
        let place = folder.parent().unwrap_or(folder);
        std::fs::create_dir_all(place).map_err(|error| EngineError::io(place, error))?;
        let place = place
            .canonicalize()
            .map_err(|error| EngineError::io(place, error))?;
        sandbox.shows_beneath(&place).await?;
        let folder = place.join(folder.file_name().unwrap_or_default());
        let (request, to) = (Arc::new(request.clone()), folder.clone());
        tokio::task::spawn_blocking(move || lay_beneath::lay_beneath(&request, &to)).await??;
        Ok(Self { folder })
    }

    /// The request of an episode over the capsule.
    pub fn beneath(&self, request: RunRequest) -> RunRequest {
        let mut request = request;
        if let Some(capsule) = &mut request.capsule {
            capsule.beneath = Some(self.folder.clone());
        }
        request
    }

    /// Removes it, once no episode lies above it any more.
    ///
    /// # Errors
    /// What cannot be removed.
    pub async fn remove(self) -> Result<(), ShareError> {
        Ok(tokio::task::spawn_blocking(move || lay_beneath::remove(&self.folder)).await??)
    }
}
