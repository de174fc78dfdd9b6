//! The folders of sessions in a workspace, and the workspace as the run found it.

use std::fs;
use std::path::Path;

use crate::domain::workspace_path::WorkspacePath;
use crate::effects::environment::SessionTerms;
use crate::effects::staging::Staging;
use crate::engine::error::EngineError;

/// The folder that installations write to.
pub const HOME: &str = "home";
/// The folder of Python's packages, below [`HOME`].
pub const PYTHON_HOME: &str = "python";

/// Makes folders below a workspace.
///
/// # Errors
/// A workspace that cannot be written.
pub fn make_folders(workspace: &Path, folders: &[&str]) -> Result<(), EngineError> {
    for folder in folders {
        let folder = workspace.join(folder);
        fs::create_dir_all(&folder).map_err(|error| EngineError::io(&folder, error))?;
    }
    Ok(())
}

/// Whether a session was ever served in a workspace.
pub fn was_used(workspace: &Path, exchange: &str) -> bool {
    fs::read_dir(workspace.join(exchange)).is_ok_and(|mut entries| entries.next().is_some())
}

/// Puts the workspace back to where the run began, so that the same commands find the same files.
/// `exchanges` are the folders of its sessions' exchanges; `other` says that the task is another one.
///
/// # Errors
/// A task that is not the one that the run was begun with, or a workspace that cannot be written.
pub fn lay_out_again(
    terms: &SessionTerms<'_>,
    staging: &dyn Staging,
    exchanges: &[&str],
    other: impl FnOnce() -> String,
) -> Result<(), EngineError> {
    for below in [WorkspacePath::WORK, HOME].iter().chain(exchanges) {
        let below = terms.workspace.join(below);
        match fs::remove_dir_all(&below) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(EngineError::io(&below, error));
            }
            _ => {}
        }
    }
    let staged = staging.stage(terms.confinement.request, &terms.workspace)?;
    if staged.data_digest == terms.started.data_digest {
        return Ok(());
    }
    Err(EngineError::Unusable(format!(
        "{}: put it back as it was, or begin another run",
        other()
    )))
}
