//! Errors of downloads.

use std::path::{Path, PathBuf};

use crate::domain::digest::Digest;

/// The error of a file that was not fetched.
#[derive(Debug, thiserror::Error)]
pub enum DownloadError {
    #[error("{url} cannot be fetched from: {reason}")]
    Address { url: String, reason: &'static str },
    #[error("no HTTP client can be made: {0}")]
    NoClient(String),
    #[error("{url} answers {status}: it is not there, or not for everybody")]
    Refused { url: String, status: u16 },
    #[error("{url} could not be fetched in {attempts} attempts: {reason}")]
    Failed {
        url: String,
        attempts: u32,
        reason: String,
    },
    #[error("{url} leads elsewhere ({reason}), and is not followed")]
    LeadsElsewhere { url: String, reason: String },
    #[error("{url} has more than {limit} bytes: raise the limit where that is meant")]
    TooLarge { url: String, limit: u64 },
    #[error("{url} has the digest {found}, and {wanted} is wanted: nothing of it was kept")]
    WrongDigest {
        url: String,
        found: Digest,
        wanted: Digest,
    },
    #[error("{url} is no {kind} file, but begins with `{beginning}`: nothing of it was kept")]
    OtherKind {
        url: String,
        kind: &'static str,
        beginning: String,
    },
    #[error("{} is being written by another process: wait until it is done", path.display())]
    Busy { path: PathBuf },
    #[error("{} cannot be written: {source}", path.display())]
    Disk { path: PathBuf, source: std::io::Error },
    #[error("the download of {url} was stopped; the same command goes on with it")]
    Stopped { url: String },
}

impl DownloadError {
    /// Whether the same command may succeed later: the network, the server or the disk failed.
    pub fn may_pass(&self) -> bool {
        matches!(
            self,
            Self::Failed { .. }
                | Self::Busy { .. }
                | Self::Disk { .. }
                | Self::NoClient(_)
                | Self::Stopped { .. }
        )
    }

    pub(super) fn disk(path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Disk { path, source }
    }
}
