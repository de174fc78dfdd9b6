//! The files that an execution finds.

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use tokio_util::sync::CancellationToken;

use crate::domain::workspace_path::WorkspacePath;
use crate::engine::error::EngineError;
use crate::run::event::FileRecord;

use super::workspace_files;

/// The data and the writable folder, as an execution finds them.
#[derive(Debug, Clone, Default)]
pub struct PresentFiles {
    pub data: Vec<FileRecord>,
    pub work: Vec<FileRecord>,
    /// Those of the writable folder that their owner may run as programs.
    pub executable: BTreeSet<WorkspacePath>,
    /// The folders below the writable folder.
    pub folders: Vec<WorkspacePath>,
}

/// Looks at them.
///
/// # Errors
/// A folder or file that cannot be read; [`EngineError::Stopped`] where `cancel` came first.
pub fn look(
    workspace: &Path,
    data_folders: &[String],
    cancel: &CancellationToken,
) -> Result<PresentFiles, EngineError> {
    let mut data = Vec::new();
    for folder in data_folders {
        data.extend(workspace_files::list(workspace, folder, cancel)?.files);
    }
    let work = workspace_files::list(workspace, WorkspacePath::WORK, cancel)?.files;
    let is_executable = |path: &&WorkspacePath| {
        path.below(workspace)
            .metadata()
            .is_ok_and(|found| found.permissions().mode() & 0o100 != 0)
    };
    Ok(PresentFiles {
        data,
        executable: work
            .iter()
            .map(|file| &file.path)
            .filter(is_executable)
            .cloned()
            .collect(),
        folders: workspace_files::folders(workspace, WorkspacePath::WORK)?,
        work,
    })
}
