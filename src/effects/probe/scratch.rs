//! Copies of the workspace that a sub-run may spoil.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use crate::domain::stage::Stage;
use crate::domain::workspace_path::WorkspacePath;
use crate::effects::analyse::files;
use crate::engine::error::EngineError;

use super::material::Call;

/// What no execution had seen: the logs of others, and answers of later stages.
const LOGS: &str = "logs";

/// A folder that is removed when it is dropped.
#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
}

impl Scratch {
    /// Makes an empty folder in the place of whatever stands there.
    pub fn make(path: PathBuf) -> Result<Self, EngineError> {
        remove(&path).map_err(|error| EngineError::io(&path, error))?;
        fs::create_dir_all(&path).map_err(|error| EngineError::io(&path, error))?;
        Ok(Self { path })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Makes a workspace in it: everything that the run's own one has, but for the
    /// data that `skip` names and for the content of the writable folder.
    pub fn workspace(
        &self,
        workspace: &Path,
        skip: &dyn Fn(&WorkspacePath) -> bool,
    ) -> Result<(), EngineError> {
        let later = [Stage::Execute.artifact(), Stage::Interpret.artifact()];
        let wanted = |path: &WorkspacePath| {
            let hidden = path.starts_with(WorkspacePath::WORK) || path.starts_with(LOGS);
            !hidden && !later.contains(&path.as_str()) && !skip(path)
        };
        for entry in WalkDir::new(workspace).follow_links(false).min_depth(1) {
            let entry = entry.map_err(|error| {
                let error = error.into_io_error();
                EngineError::io(workspace, error.unwrap_or_else(|| io::ErrorKind::Other.into()))
            })?;
            let path = entry.path().strip_prefix(workspace).ok().and_then(Path::to_str);
            let Some(path) = path.and_then(|text| text.parse::<WorkspacePath>().ok()) else {
                continue;
            };
            if !wanted(&path) {
                continue;
            }
            let target = path.below(&self.path);
            let made = if entry.file_type().is_dir() {
                fs::create_dir_all(&target)
            } else if entry.file_type().is_file() {
                link(entry.path(), &target)
            } else {
                Ok(())
            };
            made.map_err(|error| EngineError::io(&target, error))?;
        }
        for folder in [WorkspacePath::DATA, WorkspacePath::WORK] {
            let folder = self.path.join(folder);
            fs::create_dir_all(&folder).map_err(|error| EngineError::io(&folder, error))?;
        }
        Ok(())
    }

    /// Puts the files of a call into the writable folder.
    pub fn put(&self, call: &Call) -> Result<(), EngineError> {
        for folder in &call.folders {
            let folder = folder.below(&self.path);
            fs::create_dir_all(&folder).map_err(|error| EngineError::io(&folder, error))?;
        }
        for (path, bytes) in &call.files {
            let path = path.below(&self.path);
            let folder = path.parent().unwrap_or(&self.path);
            fs::create_dir_all(folder)
                .and_then(|()| fs::write(&path, bytes))
                .map_err(|error| EngineError::io(&path, error))?;
        }
        Ok(())
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be removed is removed with the run's other remains.
        let _ = remove(&self.path);
    }
}

/// Removes a folder in which code may have closed folders.
pub fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(_) => {
            files::open_up(path, "");
            fs::remove_dir_all(path)
        }
        Ok(()) => Ok(()),
    }
}

/// A second name of a read-only file, which no sandbox writes. A file that others may
/// not read would have to change its owner for a moment, so that it is copied.
pub fn link(from: &Path, to: &Path) -> io::Result<()> {
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder)?;
    }
    let open = from.metadata()?.permissions().mode() & 0o004 != 0;
    if open && fs::hard_link(from, to).is_ok() {
        return Ok(());
    }
    fs::copy(from, to).map(|_| ())
}
