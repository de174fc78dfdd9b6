//! Errors of laying a capsule out.

use std::io;
use std::path::{Path, PathBuf};

/// A capsule that cannot be laid out.
#[derive(Debug, thiserror::Error)]
pub enum LayoutError {
    #[error(
        "{} is no folder: unpack the capsule's archive (`reprise capsule fetch`), or name the folder that holds it",
        .0.display()
    )]
    NoCapsule(PathBuf),
    #[error("{} holds no file: unpack the capsule's archive there", .0.display())]
    NoFiles(PathBuf),
    #[error("{} is not empty: a capsule is laid out into an empty folder", .0.display())]
    NotEmpty(PathBuf),
    #[error(
        "{} and {} lie in one another: lay the capsule out somewhere else",
        capsule.display(),
        target.display()
    )]
    Overlap { capsule: PathBuf, target: PathBuf },
    #[error("{} changed while it was copied: see that nothing writes to the capsule, and try again", .0.display())]
    Changed(PathBuf),
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        action: &'static str,
        path: PathBuf,
        source: io::Error,
    },
}

impl LayoutError {
    /// The error of an action on a path, for `map_err`.
    pub(super) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { action, path, source }
    }
}
