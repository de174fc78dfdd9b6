//! The inside of every sandbox: real folders, and a whole environment of its own.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use crate::domain::workspace_path::WorkspacePath;

/// Where programs of the system lie.
const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// Whether a program of this machine is where confined code finds it.
pub fn is_installed(program: &str) -> bool {
    PATH.split(':')
        .any(|folder| Path::new(folder).join(program).is_file())
}

/// A folder of the workspace that confined code cannot be given.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    #[error("the folder `{folder}` of the workspace cannot be opened: {error}")]
    Unopened { folder: WorkspacePath, error: io::Error },
    #[error("the folder `{0}` of the workspace is reached through a link or a file; make it a folder")]
    Linked(WorkspacePath),
}

/// A folder below `root` that no symbolic link is on the way to.
///
/// # Errors
/// A folder that is absent, or that a link is on the way to.
pub fn real_folder(root: &Path, folder: &WorkspacePath) -> Result<PathBuf, FolderError> {
    let mut path = root.to_owned();
    for part in folder.as_str().split('/').filter(|part| !part.is_empty()) {
        path.push(part);
        let found = path.symlink_metadata().map_err(|error| FolderError::Unopened {
            folder: folder.clone(),
            error,
        })?;
        if !found.is_dir() {
            return Err(FolderError::Linked(folder.clone()));
        }
    }
    Ok(path)
}

/// The whole environment of a command.
pub fn variables(
    environment: Option<&Path>,
    temporary: &Path,
    extra: &BTreeMap<String, String>,
) -> BTreeMap<String, String> {
    let mut path = PATH.to_owned();
    let temporary = temporary.display().to_string();
    let mut variables: BTreeMap<String, String> = [
        ("LANG", "C.UTF-8"),
        ("TZ", "UTC"),
        ("PYTHONDONTWRITEBYTECODE", "1"),
        ("PYTHONHASHSEED", "0"),
        ("MPLBACKEND", "Agg"),
        // The order in which threads add up changes the last digits of results.
        ("OMP_NUM_THREADS", "1"),
        ("OPENBLAS_NUM_THREADS", "1"),
        ("MKL_NUM_THREADS", "1"),
        ("HOME", &temporary),
        ("TMPDIR", &temporary),
    ]
    .into_iter()
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .collect();
    if let Some(folder) = environment {
        path = format!("{}:{path}", folder.join("bin").display());
        variables.insert("VIRTUAL_ENV".to_owned(), folder.display().to_string());
    }
    variables.insert("PATH".to_owned(), path);
    variables.extend(extra.iter().map(|(name, value)| (name.clone(), value.clone())));
    variables
}
