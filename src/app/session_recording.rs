//! The session of a run, written into a recording.

use std::path::{Path, PathBuf};

use crate::effects::recording;
use crate::engine::error::EngineError;
use crate::engine::run_reader::RunReader;
use crate::model::recording::path::recording_path;

use super::program::Program;
use super::toolset::Toolset;

/// Where a recording goes; never over one that is there.
///
/// # Errors
/// A file that is there already.
pub fn place(study: &Path, to: &str) -> Result<PathBuf, EngineError> {
    let path = recording_path(study, to);
    let path = std::path::absolute(&path)
        .map_err(|error| EngineError::Unusable(format!("{}: {error}", path.display())))?;
    if path.exists() {
        return Err(EngineError::Unusable(format!(
            "{} is there already: record under another name, or move it away",
            path.display()
        )));
    }
    Ok(path)
}

/// Writes the recording of a run; returns the answers that it holds.
///
/// # Errors
/// A run that cannot be read, or a recording that cannot be written.
pub fn write(program: &Program, run: &RunReader, to: &Path) -> Result<usize, EngineError> {
    let toolset = Toolset::for_request(program, &run.request)?;
    let recording = recording::from_run(run, toolset.catalog(), toolset.tools())?;
    if let Some(parent) = to.parent() {
        std::fs::create_dir_all(parent).map_err(|error| EngineError::io(parent, error))?;
    }
    recording.write(to)?;
    Ok(recording.stages.values().map(|stage| stage.turns.len()).sum())
}
