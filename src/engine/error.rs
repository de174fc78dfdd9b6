//! Errors for which a run cannot go on. Each is the operator's to mend; what an agent
//! can mend is an observation instead.

use std::path::{Path, PathBuf};

use crate::artifacts::store::StoreError;
use crate::catalog::stages::fault::CatalogError;
use crate::domain::execution::BuildFailure;
use crate::journal::log::JournalError;
use crate::model::chat::ModelError;
use crate::network::package_index::error::IndexError;
use crate::policy::limits::Reached;
use crate::run::state::Impossible;
use crate::sandbox::contract::SandboxError;
use crate::study::error::StudyError;

/// An error of the operator's world.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    #[error(transparent)]
    Study(#[from] StudyError),
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Catalog(#[from] CatalogError),
    #[error(transparent)]
    Model(#[from] ModelError),
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    #[error("the environment could not be made for a reason outside the study: {0}")]
    Environment(BuildFailure),
    #[error(transparent)]
    Index(#[from] IndexError),
    #[error("the journal holds an event that cannot be: {0}")]
    Impossible(#[from] Impossible),
    #[error("the disk is full: {path} could not be written; free some space, then the same command again goes on, and `reprise resume` with a single run", path = .0.display())]
    DiskFull(PathBuf),
    #[error("{path}: {source}", path = .path.display())]
    Io { path: PathBuf, source: std::io::Error },
    /// The files were still looked at when the run was to stop, for want of time where a
    /// cap is given. Whoever asked for them stops, too; no operator sees it.
    #[error("stopped while the files of the workspace were looked at")]
    Stopped(Option<Reached>),
    #[error("{0}")]
    Unusable(String),
}

impl EngineError {
    /// An IO error at a path, with a full disk told apart.
    pub fn io(path: &Path, source: std::io::Error) -> Self {
        if source.kind() == std::io::ErrorKind::StorageFull {
            Self::DiskFull(path.to_owned())
        } else {
            Self::Io {
                path: path.to_owned(),
                source,
            }
        }
    }
}
