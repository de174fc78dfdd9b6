//! Laying a capsule out to lie beneath the workspaces of many runs.

use std::fs;
use std::path::Path;

use super::laid_beneath::{PlacedFiles, workspace};
use super::staging::CapsuleStaging;
use crate::domain::workspace_path::WorkspacePath;
use crate::effects::staging::Staging as _;
use crate::engine::error::EngineError;
use crate::engine::request::{CapsuleRequest, RunRequest};
use crate::sandbox::{beneath, removal};

/// Lays out the capsule of a request in a folder, in the place of whatever stood there.
///
/// # Errors
/// A capsule that cannot be used, or a folder that cannot be written.
pub fn lay_beneath(request: &RunRequest, folder: &Path) -> Result<(), EngineError> {
    remove(folder)?;
    fs::create_dir_all(folder).map_err(|error| EngineError::io(folder, error))?;
    let copied = RunRequest {
        capsule: request.capsule.clone().map(|capsule| CapsuleRequest {
            beneath: None,
            ..capsule
        }),
        ..request.clone()
    };
    let workspace = workspace(folder);
    let staged = CapsuleStaging.stage(&copied, &workspace)?;
    beneath::settle(&workspace.join(WorkspacePath::WORK));
    PlacedFiles {
        data: staged.data,
        left_out: staged.left_out,
    }
    .write(folder)
}

/// Removes a capsule that was laid out, once nothing lies above it any more.
///
/// # Errors
/// What cannot be removed.
pub fn remove(folder: &Path) -> Result<(), EngineError> {
    match folder.symlink_metadata() {
        Ok(_) => removal::remove(folder).map_err(|error| EngineError::io(folder, error)),
        Err(_) => Ok(()),
    }
}
