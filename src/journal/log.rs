//! The journal as a trait, and its errors.

use jiff::Timestamp;

use crate::run::event::{Event, Record};

/// The error of a journal that cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    #[error(
        "the disk is full: {path} could not be written; free some space, then the same command again goes on, and `reprise resume` with a single run"
    )]
    DiskFull { path: String },
    #[error("{path}: {source}")]
    Io { path: String, source: std::io::Error },
    #[error(
        "{path}, line {line}: {reason}; the journal is damaged there, and what follows cannot be trusted"
    )]
    Damaged { path: String, line: u64, reason: String },
    #[error("{path} is in use by another process{holder}: wait for it, or stop it first")]
    InUse { path: String, holder: String },
    #[error(
        "{path} was taken over by another process{holder} while this one was stopped: nothing more is written here, and what that process does counts"
    )]
    TakenOver { path: String, holder: String },
    #[error("an event could not be written as JSON: {0}")]
    Unwritable(#[from] serde_json::Error),
}

impl JournalError {
    /// An IO error at a path, with a full disk told apart.
    pub fn io(path: &std::path::Path, source: std::io::Error) -> Self {
        let path = path.display().to_string();
        if source.kind() == std::io::ErrorKind::StorageFull {
            Self::DiskFull { path }
        } else {
            Self::Io { path, source }
        }
    }
}

/// An append-only log with one writer.
pub trait Journal: Send {
    /// Appends an event; when this returns, the event is on disk.
    ///
    /// # Errors
    /// A file that cannot be written; the event is then not on disk.
    fn append(&mut self, at: Timestamp, event: Event) -> Result<Record, JournalError>;
}
