//! The agent's world: one folder on disk that nothing leads out of.

use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, MetadataExt, OpenOptions, OpenOptionsExt};
use nix::errno::Errno;
use nix::fcntl::OFlag;

use crate::domain::workspace_path::WorkspacePath;

/// A half-written file; whatever stands here belongs to nobody.
const PARTIAL: &str = ".partial";

/// A workspace folder. Files are opened through a directory handle, so that a
/// symbolic link or a swap between check and use cannot lead out of it.
#[derive(Debug)]
pub struct Workspace {
    root: PathBuf,
    dir: Dir,
}

impl Workspace {
    /// Opens the folder at `root`.
    ///
    /// # Errors
    /// A folder that is absent or cannot be opened.
    pub fn open(root: &Path) -> std::io::Result<Self> {
        Ok(Self {
            root: root.to_owned(),
            dir: Dir::open_ambient_dir(root, ambient_authority())?,
        })
    }

    /// The folder on the host, for the engine and the sandbox; never for the model.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The folder as a handle.
    pub fn dir(&self) -> &Dir {
        &self.dir
    }

    /// Reads a regular file, at most its first `cap` bytes. A pipe or a device
    /// is refused without waiting for it.
    ///
    /// # Errors
    /// A path that is absent, a folder, no plain file, or leads out of the workspace.
    pub fn read(&self, path: &WorkspacePath, cap: u64) -> Result<ReadContent, CannotRead> {
        let failed = |error| CannotRead::new(path, &error);
        let mut options = OpenOptions::new();
        options.read(true).custom_flags(OFlag::O_NONBLOCK.bits());
        let file = self.dir.open_with(name(path), &options).map_err(failed)?;
        let metadata = file.metadata().map_err(failed)?;
        if metadata.is_dir() {
            return Err(CannotRead::Folder(path.clone()));
        }
        if !metadata.is_file() {
            return Err(CannotRead::NotAFile(path.clone()));
        }
        let mut bytes = Vec::new();
        file.take(cap).read_to_end(&mut bytes).map_err(failed)?;
        Ok(ReadContent {
            size: metadata.len().max(bytes.len() as u64),
            shared: metadata.nlink() > 1,
            bytes,
        })
    }

    /// Puts `bytes` in the place of a file, whole or not at all. Folders on the
    /// way are made; a link on the way is refused.
    ///
    /// # Errors
    /// A link on the way, or a file that cannot be written.
    pub fn replace(&self, path: &WorkspacePath, bytes: &[u8]) -> std::io::Result<()> {
        if self.passes_link(path) {
            return Err(std::io::Error::new(
                ErrorKind::PermissionDenied,
                "a symbolic link stands in the way",
            ));
        }
        let folder = path.parent().unwrap_or_else(|| path.clone());
        self.dir.create_dir_all(name(&folder))?;
        let partial = PARTIAL;
        match self.dir.remove_file(partial) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        let mut file = self.dir.open_with(partial, &options)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        self.dir.rename(partial, &self.dir, name(path))
    }

    /// Whether a part of the path is a symbolic link, so that a write to it
    /// would change a file of another name.
    pub fn passes_link(&self, path: &WorkspacePath) -> bool {
        let mut part = Some(path.clone());
        while let Some(here) = part {
            if self
                .dir
                .symlink_metadata(name(&here))
                .is_ok_and(|found| found.is_symlink())
            {
                return true;
            }
            part = here.parent();
        }
        false
    }
}

/// The bytes read of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadContent {
    pub bytes: Vec<u8>,
    /// Size of the whole file in bytes.
    pub size: u64,
    /// Whether the file has further names (hard links).
    pub shared: bool,
}

impl ReadContent {
    /// Whether the whole file was read.
    pub fn is_whole(&self) -> bool {
        self.bytes.len() as u64 == self.size
    }
}

/// The reason for which a file cannot be read, in words for the model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CannotRead {
    #[error("`{0}` does not exist: `list_files` shows what there is")]
    Missing(WorkspacePath),
    #[error("`{0}` is a folder: `list_files` shows what is in it")]
    Folder(WorkspacePath),
    #[error("`{0}` is a pipe, a socket or a device, and not a file")]
    NotAFile(WorkspacePath),
    #[error("`{0}` leads out of the workspace, and only files inside it can be opened")]
    Outside(WorkspacePath),
    #[error("`{0}` cannot be read ({1})")]
    Failed(WorkspacePath, ErrorKind),
    /// The file is not the reason: no file left to open, say, or a disk that fails.
    #[error("`{0}` cannot be read on this machine ({1})")]
    Machine(WorkspacePath, String),
}

impl CannotRead {
    /// The cause of an error that the directory handle gave.
    pub fn new(path: &WorkspacePath, error: &std::io::Error) -> Self {
        let path = path.clone();
        match error.kind() {
            ErrorKind::NotFound => Self::Missing(path),
            // The handle itself says so without a number of the system.
            ErrorKind::PermissionDenied if error.raw_os_error().is_none() => Self::Outside(path),
            _ if !is_of_the_file(error) => Self::Machine(path, error.to_string()),
            kind => Self::Failed(path, kind),
        }
    }
}

/// Whether what an agent can put at a path explains an error. Any other is the machine's.
fn is_of_the_file(error: &std::io::Error) -> bool {
    error.raw_os_error().is_none_or(|code| {
        matches!(
            Errno::from_raw(code),
            Errno::EACCES
                | Errno::EPERM
                | Errno::EISDIR
                | Errno::ELOOP
                | Errno::ENAMETOOLONG
                | Errno::ENODEV
                | Errno::ENOTDIR
                | Errno::ENXIO
        )
    })
}

/// A path as the directory handle takes it.
fn name(path: &WorkspacePath) -> &str {
    if path.as_str().is_empty() {
        "."
    } else {
        path.as_str()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_an_agent_can_put_at_a_path_is_the_files_fault() {
        let path: WorkspacePath = "work/answer.json".parse().unwrap();
        let told = |code: Errno| CannotRead::new(&path, &std::io::Error::from_raw_os_error(code as i32));
        assert!(matches!(told(Errno::ENOENT), CannotRead::Missing(_)));
        for agents in [Errno::EACCES, Errno::ELOOP, Errno::ENOTDIR, Errno::ENXIO] {
            assert!(matches!(told(agents), CannotRead::Failed(..)), "{agents}");
        }
        for machines in [
            Errno::EMFILE,
            Errno::ENFILE,
            Errno::EIO,
            Errno::ENOMEM,
            Errno::ESTALE,
        ] {
            assert!(matches!(told(machines), CannotRead::Machine(..)), "{machines}");
        }
    }
}
