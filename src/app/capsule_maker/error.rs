//! The errors of a capsule that cannot be made.

use std::io;
use std::path::{Path, PathBuf};

use crate::domain::execution::Ending;
use crate::engine::error::EngineError;

/// The error of a capsule that cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum MakeError {
    #[error("{path}: {error}")]
    File { path: PathBuf, error: io::Error },
    #[error("execution {number} {}; the end of what it printed:\n{printed}", ending.words())]
    Failed {
        number: u32,
        ending: Ending,
        printed: String,
    },
    #[error(transparent)]
    Engine(#[from] EngineError),
}

/// The error of a file or folder, made of what the system says of it.
pub(super) fn at(path: &Path) -> impl FnOnce(io::Error) -> MakeError + use<> {
    let path = path.to_owned();
    move |error| MakeError::File { path, error }
}
