//! Errors of exports.

use std::io;
use std::path::{Path, PathBuf};

use crate::capsule::layout::error::LayoutError;
use crate::capsule::task_file::CapsuleId;

/// A capsule that cannot be exported.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    #[error("{} is there and not empty: name another folder with --harbor, or remove it", .0.display())]
    NotEmpty(PathBuf),
    #[error("the gold of {0} is no list of runs, each with answers by question")]
    NoGold(CapsuleId),
    #[error(transparent)]
    Layout(#[from] LayoutError),
    #[error("{file} cannot be written: {why}")]
    Unwritten { file: &'static str, why: String },
    #[error("{}: {error}", path.display())]
    Disk { path: PathBuf, error: io::Error },
}

impl ExportError {
    /// The fault of a path, for `map_err`.
    pub fn at(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |error| Self::Disk { path, error }
    }
}
