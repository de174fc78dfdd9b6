//! The file that is filled beside the one that it becomes.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::error::DownloadError;

/// The file that a partial one is a part of.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartialOrigin {
    pub url: String,
    /// A strong validator, where the server gave one.
    pub etag: Option<String>,
    /// Bytes of the whole file, where the server said so.
    pub length: Option<u64>,
}

/// A file `NAME.partial` beside `NAME`, locked by this process, and `NAME.partial.json`, which says
/// what it is a part of.
#[derive(Debug)]
pub struct PartialFile {
    path: PathBuf,
    target: PathBuf,
    file: File,
    written: u64,
    origin: Option<PartialOrigin>,
}

impl PartialFile {
    /// Opens the partial file of a target, or begins one. What is there is kept where it is of `url`.
    ///
    /// # Errors
    /// A file that cannot be written, or that another process writes.
    pub fn open(target: &Path, url: &str) -> Result<Self, DownloadError> {
        if let Some(folder) = target.parent() {
            fs::create_dir_all(folder).map_err(DownloadError::disk(folder))?;
        }
        let path = with_end(target, ".partial");
        let failed = |error| DownloadError::disk(&path)(error);
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(failed)?;
        file.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => DownloadError::Busy { path: path.clone() },
            TryLockError::Error(error) => failed(error),
        })?;
        // Another process may have put it in its place between the opening and the lock.
        let locked = file.metadata().map_err(failed)?;
        let is_same = fs::symlink_metadata(&path)
            .is_ok_and(|found| (found.dev(), found.ino()) == (locked.dev(), locked.ino()));
        if !is_same {
            return Err(DownloadError::Busy { path });
        }
        let written = locked.len();
        let origin = fs::read(origin_path(&path))
            .ok()
            .and_then(|bytes| serde_json::from_slice::<PartialOrigin>(&bytes).ok())
            .filter(|origin| origin.url == url);
        let mut partial = Self {
            path,
            target: target.to_owned(),
            file,
            written,
            origin,
        };
        if partial.origin.is_none() && written > 0 {
            partial.restart()?;
        }
        partial
            .file
            .seek(SeekFrom::End(0))
            .map_err(DownloadError::disk(&partial.path))?;
        Ok(partial)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Bytes that are there.
    pub fn written(&self) -> u64 {
        self.written
    }

    pub fn origin(&self) -> Option<&PartialOrigin> {
        self.origin.as_ref()
    }

    /// Begins again with nothing.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn restart(&mut self) -> Result<(), DownloadError> {
        self.origin = None;
        self.written = 0;
        let emptied = self.file.set_len(0).and_then(|()| self.file.rewind());
        emptied.map_err(DownloadError::disk(&self.path))
    }

    /// Notes what the bytes that follow are a part of.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn set_origin(&mut self, origin: PartialOrigin) -> Result<(), DownloadError> {
        if self.origin.as_ref() == Some(&origin) {
            return Ok(());
        }
        let path = origin_path(&self.path);
        let failed = |error| DownloadError::disk(&path)(error);
        let text = serde_json::to_vec(&origin).map_err(|error| failed(error.into()))?;
        fs::write(&path, text).map_err(failed)?;
        self.origin = Some(origin);
        Ok(())
    }

    /// Adds bytes.
    ///
    /// # Errors
    /// A disk that is full, say.
    pub fn add(&mut self, bytes: &[u8]) -> Result<(), DownloadError> {
        self.file
            .write_all(bytes)
            .map_err(DownloadError::disk(&self.path))?;
        self.written += bytes.len() as u64;
        Ok(())
    }

    /// The first bytes, at most 64.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn beginning(&self) -> Result<Vec<u8>, DownloadError> {
        let mut bytes = Vec::new();
        File::open(&self.path)
            .and_then(|file| file.take(64).read_to_end(&mut bytes))
            .map_err(DownloadError::disk(&self.path))?;
        Ok(bytes)
    }

    /// Puts the file in the target's place, synced.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn put_in_place(self) -> Result<(), DownloadError> {
        self.file
            .sync_all()
            .and_then(|()| fs::rename(&self.path, &self.target))
            .map_err(DownloadError::disk(&self.target))?;
        // Says nothing about a file any more.
        let _may_stay = fs::remove_file(origin_path(&self.path));
        Ok(())
    }

    /// Takes the file away.
    pub fn remove(self) {
        let _may_stay = fs::remove_file(&self.path);
        let _may_stay = fs::remove_file(origin_path(&self.path));
    }
}

fn origin_path(partial: &Path) -> PathBuf {
    with_end(partial, ".json")
}

fn with_end(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    PathBuf::from(name)
}
