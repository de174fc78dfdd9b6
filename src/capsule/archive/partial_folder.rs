//! The folder that is filled beside the one that it becomes.

use std::fs::{self, File, TryLockError};
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::Dir;

use super::error::ArchiveError;

/// A folder `.NAME.unpacking` beside `NAME`, locked by this process and taken away with it. One
/// that a killed process left is emptied and taken over.
#[derive(Debug)]
pub(super) struct PartialFolder {
    path: PathBuf,
    target: PathBuf,
    /// Held open for its lock.
    _lock: File,
}

impl PartialFolder {
    /// Takes the place beside `target`, which must not exist.
    pub fn take(target: &Path) -> Result<Self, ArchiveError> {
        let exists = || ArchiveError::Exists {
            path: target.to_owned(),
        };
        let name = target.file_name().ok_or_else(exists)?;
        if target.symlink_metadata().is_ok() {
            return Err(exists());
        }
        let parent = target.parent().unwrap_or(Path::new(""));
        fs::create_dir_all(parent).map_err(ArchiveError::unwritable(parent))?;
        let mut partial = std::ffi::OsString::from(".");
        partial.push(name);
        partial.push(".unpacking");
        let path = parent.join(partial);
        match fs::create_dir(&path) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => {
                return Err(ArchiveError::unwritable(&path)(error));
            }
            _ => {}
        }
        let busy = || ArchiveError::Busy {
            path: target.to_owned(),
        };
        let lock = File::open(&path).map_err(ArchiveError::unwritable(&path))?;
        lock.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => busy(),
            TryLockError::Error(error) => ArchiveError::unwritable(&path)(error),
        })?;
        // Another process may have put it in its place between the opening and the lock.
        let locked = lock.metadata().map_err(ArchiveError::unwritable(&path))?;
        let is_same = fs::symlink_metadata(&path)
            .is_ok_and(|found| (found.dev(), found.ino()) == (locked.dev(), locked.ino()));
        if !is_same {
            return Err(busy());
        }
        let taken = Self {
            path,
            target: target.to_owned(),
            _lock: lock,
        };
        taken.empty()?;
        Ok(taken)
    }

    fn empty(&self) -> Result<(), ArchiveError> {
        let failed = |error| ArchiveError::unwritable(&self.path)(error);
        for entry in fs::read_dir(&self.path).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let is_folder = entry.file_type().map_err(failed)?.is_dir();
            let path = entry.path();
            let removed = if is_folder {
                fs::remove_dir_all(&path)
            } else {
                fs::remove_file(&path)
            };
            removed.map_err(ArchiveError::unwritable(&path))?;
        }
        Ok(())
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A handle that nothing leads out of.
    pub fn dir(&self) -> Result<Dir, ArchiveError> {
        Dir::open_ambient_dir(&self.path, ambient_authority()).map_err(ArchiveError::unwritable(&self.path))
    }

    /// Puts the folder, or one in it, in the target's place.
    pub fn put_in_place(self, inner: Option<&Path>) -> Result<(), ArchiveError> {
        let from = inner.map_or_else(|| self.path.clone(), |inner| self.path.join(inner));
        fs::rename(from, &self.target).map_err(|error| match error.kind() {
            ErrorKind::DirectoryNotEmpty | ErrorKind::AlreadyExists => ArchiveError::Exists {
                path: self.target.clone(),
            },
            _ => ArchiveError::unwritable(&self.target)(error),
        })
    }
}

impl Drop for PartialFolder {
    fn drop(&mut self) {
        // Gone where it was put in its place; what cannot be removed is taken over the next time.
        let _taken_over_later = fs::remove_dir_all(&self.path);
    }
}
