//! Errors of unpacking.

use std::path::{Path, PathBuf};

/// The error of an archive that is not unpacked. Nothing of it is kept.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    #[error("{} cannot be read: {source}", path.display())]
    Unreadable { path: PathBuf, source: std::io::Error },
    #[error("{} is no gzip file: an archive of a capsule is a .tar.gz", path.display())]
    NotGzip { path: PathBuf },
    #[error("{} is damaged or was cut ({reason}): fetch it again", path.display())]
    Damaged { path: PathBuf, reason: String },
    #[error("{} holds no file, and a capsule does", path.display())]
    Empty { path: PathBuf },
    #[error("{} is not unpacked: its entry `{entry}` leads out of the capsule", path.display())]
    LeadsOut { path: PathBuf, entry: String },
    #[error("{} is not unpacked: its entry `{entry}` is a device, and no capsule has one", path.display())]
    Device { path: PathBuf, entry: String },
    #[error("{} is not unpacked: its entry `{entry}` has a header that is wrong ({reason})", path.display())]
    Header {
        path: PathBuf,
        entry: String,
        reason: &'static str,
    },
    #[error("{} is not unpacked: it has more than {limit} entries", path.display())]
    TooManyEntries { path: PathBuf, limit: u64 },
    #[error("{} is not unpacked: it unpacks to more than {limit} bytes", path.display())]
    TooLarge { path: PathBuf, limit: u64 },
    #[error("{} is not unpacked: its entry `{entry}` has {bytes} bytes, more than {limit}", path.display())]
    FileTooLarge {
        path: PathBuf,
        entry: String,
        bytes: u64,
        limit: u64,
    },
    #[error(
        "{} is not unpacked: it unpacks to more than {limit} times its size, which bombs do and data seldom does",
        path.display()
    )]
    Ratio { path: PathBuf, limit: u64 },
    #[error("{} was changed while it was read: begin again", path.display())]
    Changed { path: PathBuf },
    #[error("the unpacking of {} was stopped", path.display())]
    Stopped { path: PathBuf },
    #[error("{} is there already: take it away, or name another folder", path.display())]
    Exists { path: PathBuf },
    #[error("{} is being unpacked by another process: wait until it is done", path.display())]
    Busy { path: PathBuf },
    #[error("{} cannot be written: {source}", path.display())]
    Unwritable { path: PathBuf, source: std::io::Error },
}

impl ArchiveError {
    /// An error of writing below a folder.
    pub(super) fn unwritable(path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Unwritable { path, source }
    }
}
