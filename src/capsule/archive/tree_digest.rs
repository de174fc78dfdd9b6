//! The digest of a folder's content.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use crate::domain::digest::{Digest, RunningDigest};

/// A file or link of a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TreeLeaf {
    File {
        digest: Digest,
        is_executable: bool,
    },
    /// With the digest of the path that it holds.
    Link {
        digest: Digest,
    },
}

/// The digest of leaves by their path, in the order of its bytes: for each its kind (`f` file, `x`
/// executable file, `l` link), its digest, its path and a zero byte. Folders count by what is in
/// them; times, owners and other rights do not.
pub(super) fn digest(leaves: &BTreeMap<Vec<u8>, TreeLeaf>) -> Digest {
    let mut running = RunningDigest::default();
    for (path, leaf) in leaves {
        let (kind, digest) = match leaf {
            TreeLeaf::File {
                digest,
                is_executable: false,
            } => ("f", digest),
            TreeLeaf::File { digest, .. } => ("x", digest),
            TreeLeaf::Link { digest } => ("l", digest),
        };
        running.add(kind.as_bytes());
        running.add(digest.hex().as_bytes());
        running.add(path);
        running.add(&[0]);
    }
    running.digest()
}

/// The error of a folder whose content cannot be digested.
#[derive(Debug, thiserror::Error)]
#[error("{} cannot be read: {source}", path.display())]
pub struct TreeFault {
    pub path: PathBuf,
    pub source: std::io::Error,
}

/// The digest of a folder on disk: that of [`super::unpack::Unpacked::tree`] where nothing was changed.
///
/// # Errors
/// A file or folder that cannot be read.
pub fn digest_of_folder(folder: &Path) -> Result<Digest, TreeFault> {
    let mut leaves = BTreeMap::new();
    for entry in WalkDir::new(folder).min_depth(1) {
        let entry = entry.map_err(|error| TreeFault {
            path: error.path().unwrap_or(folder).to_owned(),
            source: error.into(),
        })?;
        let fault = |source| TreeFault {
            path: entry.path().to_owned(),
            source,
        };
        let leaf = if entry.path_is_symlink() {
            let target = fs::read_link(entry.path()).map_err(fault)?;
            TreeLeaf::Link {
                digest: Digest::compute(target.as_os_str().as_bytes()),
            }
        } else if entry.file_type().is_file() {
            let file = File::open(entry.path()).map_err(fault)?;
            let mode = file.metadata().map_err(fault)?.permissions().mode();
            TreeLeaf::File {
                digest: Digest::compute_reader(file).map_err(fault)?,
                is_executable: mode & 0o100 != 0,
            }
        } else {
            continue;
        };
        let below = entry.path().strip_prefix(folder).unwrap_or(entry.path());
        leaves.insert(below.as_os_str().to_owned().into_vec(), leaf);
    }
    Ok(digest(&leaves))
}
