//! The agent's world: one folder on disk that nothing leads out of.

use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::Dir;

/// A workspace folder. Files are opened through a directory handle, so that a
/// symbolic link or a swap between check and use cannot lead out of it.
#[derive(Debug)]
pub struct Workspace {
    root: PathBuf,
    dir: Dir,
}

impl Workspace {
    /// Opens the folder at `root`.
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
}
