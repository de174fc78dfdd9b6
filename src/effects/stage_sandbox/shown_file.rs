//! A file that a program sees and its sandbox cannot write.

use std::fs;
use std::path::Path;

use tokio_util::sync::CancellationToken;

use crate::effects::analyse::file_copy;
use crate::effects::analyse::workspace_files::stopped_or_io;
use crate::engine::error::EngineError;

/// Shows a file: as the same file where that can be, since data are large.
///
/// # Errors
/// A file that cannot be read or written; [`EngineError::Stopped`] where `cancel` came first.
pub fn show(from: &Path, to: &Path, cancel: &CancellationToken) -> Result<(), EngineError> {
    if fs::hard_link(from, to).is_ok() {
        return Ok(());
    }
    file_copy::copy(from, to, cancel).map_err(|error| stopped_or_io(from, error))
}
