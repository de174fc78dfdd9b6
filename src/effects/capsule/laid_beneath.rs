//! A capsule that was laid out once, to lie beneath the workspaces of many runs.
//!
//! Its folder holds a workspace as a run would have it, and a record of the files in it.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::domain::workspace_path::WorkspacePath;
use crate::engine::error::EngineError;
use crate::engine::request::RunRequest;
use crate::run::event::FileRecord;
use crate::sandbox::beneath::Beneath;

/// The workspace, in the folder of the capsule.
const WORKSPACE: &str = "workspace";
/// The record, beside it.
const RECORD: &str = "files.json";
/// The folder that the kernel has of its own, among a run's streams.
const SCRATCH: &str = "overlay";

/// The files of a capsule in a workspace.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlacedFiles {
    pub data: Vec<FileRecord>,
    /// What was left out, and why.
    pub left_out: Vec<String>,
}

impl PlacedFiles {
    /// Reads the record of a capsule that was laid out.
    ///
    /// # Errors
    /// A folder that is gone, or holds none.
    pub fn read(folder: &Path) -> Result<Self, EngineError> {
        let path = folder.join(RECORD);
        let text = fs::read(&path).map_err(|error| {
            EngineError::Unusable(format!(
                "{}: {error}: the capsule that lay beneath this run is gone with the server that laid it out",
                path.display()
            ))
        })?;
        serde_json::from_slice(&text)
            .map_err(|error| EngineError::Unusable(format!("{}: {error}", path.display())))
    }

    /// Writes the record.
    ///
    /// # Errors
    /// A folder that cannot be written.
    pub fn write(&self, folder: &Path) -> Result<(), EngineError> {
        let path = folder.join(RECORD);
        let text = serde_json::to_vec(self)
            .map_err(|error| EngineError::Unusable(format!("{}: {error}", path.display())))?;
        fs::write(&path, text).map_err(|error| EngineError::io(&path, error))
    }
}

/// The workspace in the folder of a capsule that was laid out.
pub fn workspace(folder: &Path) -> PathBuf {
    folder.join(WORKSPACE)
}

/// What lies beneath the workspace of a run, where something does; `streams` is the run's own folder for
/// what stands outside of its workspace.
///
/// # Errors
/// None but a name that cannot be used, which is none of ours.
pub fn of(request: &RunRequest, streams: &Path) -> Result<Option<Beneath>, EngineError> {
    let capsule = request.capsule.as_ref();
    let Some(folder) = capsule.and_then(|capsule| capsule.beneath.as_ref()) else {
        return Ok(None);
    };
    let work: WorkspacePath =
        (WorkspacePath::WORK.parse()).map_err(|error| EngineError::Unusable(format!("{error}")))?;
    Ok(Some(Beneath {
        lower: work.below(&workspace(folder)),
        folder: work,
        scratch: streams.join(SCRATCH),
    }))
}
