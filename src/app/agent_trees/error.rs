//! Faults for which an agent's files cannot be had.

use std::path::{Path, PathBuf};

use crate::capsule::archive::error::ArchiveError;
use crate::capsule::archive::tree_digest::TreeFault;
use crate::catalog::agents::integrity::Integrity;
use crate::network::download::error::DownloadError;

/// A fault of an agent's files.
#[derive(Debug, thiserror::Error)]
pub enum AgentTreeError {
    #[error(
        "`{agent}` names no packages, so that nothing can be fetched: install it yourself, and name the folder with \
         --agent-files"
    )]
    NoPackages { agent: String },
    #[error(
        "`{agent}` has no package of {platform}: its definition has those of {known}; install it yourself, and name the \
         folder with --agent-files"
    )]
    Platform {
        agent: String,
        platform: String,
        known: String,
    },
    #[error(
        "{url} has the integrity {found}, and the definition of `{agent}` wants {wanted}: nothing was installed"
    )]
    Integrity {
        agent: String,
        url: String,
        wanted: Integrity,
        found: Integrity,
    },
    #[error("{package} has no file {file}, which the definition of `{agent}` names: nothing was installed")]
    NoProgram {
        agent: String,
        package: String,
        file: String,
    },
    #[error("the registry `{registry}` is no address that a package can be fetched from: {why}")]
    Registry { registry: String, why: String },
    #[error(transparent)]
    Download(#[from] DownloadError),
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    #[error("{wheel} is no wheel that can be unpacked: {why}; nothing was installed")]
    Wheel { wheel: String, why: String },
    #[error("Python {python} cannot compile the agent's modules: {why}; nothing was installed")]
    Compilation { python: String, why: String },
    #[error(transparent)]
    Tree(#[from] TreeFault),
    #[error("{}: {error}", path.display())]
    Disk { path: PathBuf, error: std::io::Error },
}

impl AgentTreeError {
    /// The fault of a file or folder of the cache.
    pub fn disk(path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |error| Self::Disk { path, error }
    }
}
