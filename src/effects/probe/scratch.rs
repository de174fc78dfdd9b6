//! Copies of the workspace that a sub-run may spoil.

use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use crate::domain::replication;

use crate::domain::stage::Stage;
use crate::domain::workspace_path::WorkspacePath;
use crate::engine::error::EngineError;
use crate::sandbox::removal;

use super::material::{KeptFile, ProbeCall};

/// What no execution had seen: the logs of others, and answers of later stages.
const LOGS: &str = "logs";

/// Bytes from which a file that is only read is linked in place of copied. Code could
/// tell by the number of its names that it is probed; a copy of a gigabyte for each
/// of forty sub-runs takes minutes where the file system shares no blocks.
const LINKED: u64 = 64 << 20;

/// The content of a workspace's file in its copy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CopiedContent {
    /// What it holds in the run's own.
    Own,
    /// That of a file which is moved to its place.
    Other(PathBuf),
    Gone,
}

/// A folder that is removed when it is dropped.
#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
}

impl Scratch {
    /// Makes an empty folder in the place of whatever stands there.
    ///
    /// # Errors
    /// What stands there and cannot be removed, or a folder that cannot be made.
    pub fn make(path: PathBuf) -> Result<Self, EngineError> {
        removal::remove(&path).map_err(|error| EngineError::io(&path, error))?;
        fs::create_dir_all(&path).map_err(|error| EngineError::io(&path, error))?;
        Ok(Self { path })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Makes a workspace in it: everything that the run's own one has, but for the
    /// content of the writable folder and for what `content` says of a file. Files
    /// have the times of the run's own and are made in the same order.
    ///
    /// # Errors
    /// A file of the workspace that cannot be read, or one that cannot be copied or linked.
    pub fn workspace(
        &self,
        workspace: &Path,
        content: &dyn Fn(&WorkspacePath) -> CopiedContent,
    ) -> Result<(), EngineError> {
        let later = [
            replication::artifact(Stage::EXECUTE),
            replication::artifact(Stage::INTERPRET),
        ];
        let wanted = |path: &WorkspacePath| {
            let hidden = path.starts_with(WorkspacePath::WORK) || path.starts_with(LOGS);
            !hidden && !later.contains(&path.as_str())
        };
        let mut files: Vec<(PathBuf, WorkspacePath)> = Vec::new();
        let mut folders: Vec<(PathBuf, PathBuf)> = Vec::new();
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
            if entry.file_type().is_dir() {
                let target = path.below(&self.path);
                fs::create_dir_all(&target).map_err(|error| EngineError::io(&target, error))?;
                folders.push((entry.into_path(), target));
            } else if entry.file_type().is_file() {
                files.push((entry.into_path(), path));
            }
        }
        for folder in [WorkspacePath::DATA, WorkspacePath::WORK] {
            let folder = self.path.join(folder);
            fs::create_dir_all(&folder).map_err(|error| EngineError::io(&folder, error))?;
        }
        files.sort_by_key(|(file, _)| {
            fs::metadata(file)
                .map(|data| (data.ctime(), data.ctime_nsec()))
                .ok()
        });
        for (file, path) in files {
            let target = path.below(&self.path);
            let made = match content(&path) {
                CopiedContent::Gone => Ok(()),
                CopiedContent::Own => imitate(&file, &target),
                CopiedContent::Other(other) => {
                    fs::rename(&other, &target).and_then(|()| look_like(&file, &target))
                }
            };
            made.map_err(|error| EngineError::io(&target, error))?;
        }
        // The inner ones first: each file that was made has touched its folder.
        for (folder, target) in folders.into_iter().rev() {
            set_times(&folder, &target).map_err(|error| EngineError::io(&target, error))?;
        }
        Ok(())
    }

    /// Gives a file that is there another text, and leaves its look as it is.
    ///
    /// # Errors
    /// A file that cannot be read or written.
    pub fn replace(&self, path: &WorkspacePath, text: &[u8]) -> Result<(), EngineError> {
        let on_disk = path.below(&self.path);
        let replaced = || {
            if fs::read(&on_disk)? == text {
                return Ok(());
            }
            let new = on_disk.with_extension("new");
            fs::write(&new, text)?;
            look_like(&on_disk, &new)?;
            fs::rename(&new, &on_disk)
        };
        match replaced() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => fs::write(&on_disk, text),
            otherwise => otherwise,
        }
        .map_err(|error| EngineError::io(&on_disk, error))
    }

    /// Puts the files of a call into the writable folder, with the times that they
    /// have in the run's own workspace where they are still there.
    ///
    /// # Errors
    /// A file of the call that cannot be written.
    pub fn put(&self, call: &ProbeCall, workspace: &Path) -> Result<(), EngineError> {
        for folder in &call.folders {
            let folder = folder.below(&self.path);
            fs::create_dir_all(&folder).map_err(|error| EngineError::io(&folder, error))?;
        }
        for KeptFile { path, bytes } in &call.files {
            let on_disk = path.below(&self.path);
            let folder = on_disk.parent().unwrap_or(&self.path);
            fs::create_dir_all(folder)
                .and_then(|()| fs::write(&on_disk, bytes))
                .map_err(|error| EngineError::io(&on_disk, error))?;
            let own = path.below(workspace);
            if own.is_file() {
                set_times(&own, &on_disk).map_err(|error| EngineError::io(&on_disk, error))?;
            }
        }
        Ok(())
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be removed is removed with the run's other remains.
        let _ = removal::remove(&self.path);
    }
}

/// A second name of a read-only file, which no sandbox writes. A file that others may
/// not read would have to change its owner for a moment, so that it is copied.
///
/// # Errors
/// A file that cannot be read, linked or copied.
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

/// A copy that looks like its original, or a second name of a large one.
fn imitate(from: &Path, to: &Path) -> io::Result<()> {
    if from.metadata()?.len() >= LINKED {
        return link(from, to);
    }
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::copy(from, to)?;
    look_like(from, to)
}

/// Gives a file the permissions and the times of another one.
fn look_like(original: &Path, copy: &Path) -> io::Result<()> {
    set_times(original, copy)?;
    fs::set_permissions(copy, original.metadata()?.permissions())
}

fn set_times(original: &Path, copy: &Path) -> io::Result<()> {
    let data = original.metadata()?;
    let times = fs::FileTimes::new()
        .set_modified(data.modified()?)
        .set_accessed(data.accessed()?);
    fs::File::open(copy)?.set_times(times)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, SystemTime};

    #[test]
    fn a_copy_looks_like_the_workspace_itself() {
        let place = tempfile::tempdir().unwrap();
        let own = place.path().join("workspace");
        let long_ago = SystemTime::now() - Duration::from_secs(5000);
        let files = [
            "replication_data/a.csv",
            "helpers/reprise.py",
            "replication_data/b.csv",
        ];
        for (at, name) in files.into_iter().enumerate() {
            let path = own.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, name).unwrap();
            let time = long_ago + Duration::from_secs(at as u64);
            let times = fs::FileTimes::new().set_modified(time).set_accessed(time);
            fs::File::open(&path).unwrap().set_times(times).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
        }
        let changed = place.path().join("changed.csv");
        fs::write(&changed, "changed").unwrap();
        let scratch = Scratch::make(place.path().join("copy")).unwrap();
        let content = |path: &WorkspacePath| match path.as_str() {
            "replication_data/a.csv" => CopiedContent::Other(changed.clone()),
            _ => CopiedContent::Own,
        };
        scratch.workspace(&own, &content).unwrap();
        let read = |name: &str| fs::read_to_string(scratch.path().join(name)).unwrap();
        assert_eq!(read(files[0]), "changed");
        assert_eq!(read(files[1]), files[1]);
        for name in files {
            let (one, other) = (
                own.join(name).metadata().unwrap(),
                scratch.path().join(name).metadata().unwrap(),
            );
            assert_eq!(one.modified().unwrap(), other.modified().unwrap(), "{name}");
            assert_eq!(one.mode(), other.mode(), "{name}");
            assert_eq!((one.nlink(), other.nlink()), (1, 1), "{name}");
        }
        for folder in ["replication_data", "helpers"] {
            let time = |root: &Path| root.join(folder).metadata().unwrap().modified().unwrap();
            assert_eq!(time(&own), time(scratch.path()), "{folder}");
        }
    }
}
