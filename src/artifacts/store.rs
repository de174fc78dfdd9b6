//! The contract of a content-addressed store, and its errors.

use std::io;
use std::path::{Path, PathBuf};

use crate::domain::digest::Digest;

/// A place that keeps bytes by their digest.
pub trait Store: Send + Sync {
    /// Keeps `bytes`; keeping the same bytes again changes nothing.
    ///
    /// # Errors
    /// A store that cannot be written.
    fn put(&self, bytes: &[u8]) -> Result<Digest, StoreError>;

    /// The bytes of a digest, verified.
    ///
    /// # Errors
    /// Bytes that are absent, cannot be read or have another digest.
    fn get(&self, digest: &Digest) -> Result<Vec<u8>, StoreError>;

    /// Whether something is kept under a digest; does not verify it.
    fn has(&self, digest: &Digest) -> bool;
}

/// The error of a value that could not be kept or read back.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error(
        "the store has no value {digest}: the journal names it, so its blob was deleted; \
         restore the `blobs` folder of the run from a copy"
    )]
    Missing { digest: Digest },
    #[error(
        "{} is damaged: its content is {found}, not what its name says; restore it from a copy of the run",
        file.display()
    )]
    Damaged { file: PathBuf, found: Digest },
    #[error(
        "a stored value has {found} bytes where the journal says {expected} ({digest}); \
         the journal line that names it is damaged"
    )]
    WrongSize {
        digest: Digest,
        expected: u64,
        found: u64,
    },
    #[error(
        "no space is left to write {}: free some space on that file system, then the same command again goes on, and \
         `reprise resume` with a single run",
        file.display()
    )]
    Full { file: PathBuf },
    #[error("cannot {action} {}: {source}", file.display())]
    Io {
        action: &'static str,
        file: PathBuf,
        source: io::Error,
    },
}

impl StoreError {
    /// The error of an IO operation, with a full disk told apart.
    pub(super) fn io(action: &'static str, file: &Path, source: io::Error) -> Self {
        let file = file.to_owned();
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::Full { file },
            _ => Self::Io { action, file, source },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_told_apart() {
        let full = io::Error::from_raw_os_error(nix::libc::ENOSPC);
        let error = StoreError::io("write", Path::new("/runs/x/blobs"), full);
        assert!(matches!(error, StoreError::Full { .. }));
        assert!(error.to_string().contains("/runs/x/blobs") && error.to_string().contains("free some space"));
        // It may be no run that is written, and a bench or a collection has none to be resumed.
        assert!(
            error.to_string().contains("then the same command again goes on"),
            "{error}"
        );
        assert!(!error.to_string().contains("then resume the run"), "{error}");
        let other = io::Error::from_raw_os_error(nix::libc::EACCES);
        assert!(matches!(
            StoreError::io("write", Path::new("x"), other),
            StoreError::Io { .. }
        ));
    }
}
