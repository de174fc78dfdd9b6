//! Files that an execution wrote.

use std::fs;
use std::path::Path;

use crate::engine::error::EngineError;
use crate::engine::session::Session;
use crate::run::event::FileRecord;

/// The largest output file that is kept in the run's store, in bytes.
pub const KEPT_OUTPUT: u64 = 16 << 20;
/// The most output files, and bytes of them, that one execution leaves in the store.
const MOST_OUTPUTS: usize = 1000;
const MOST_BYTES: u64 = 256 << 20;

/// Puts what an execution wrote below `workspace` into the store.
///
/// # Errors
/// A file that cannot be read, or a store that cannot be written.
pub fn keep(session: &Session, workspace: &Path, outputs: &[FileRecord]) -> Result<(), EngineError> {
    let mut kept = 0;
    for file in outputs
        .iter()
        .filter(|file| file.size <= KEPT_OUTPUT)
        .take(MOST_OUTPUTS)
    {
        kept += file.size;
        if kept > MOST_BYTES {
            break;
        }
        let path = file.path.below(workspace);
        let bytes = fs::read(&path).map_err(|error| EngineError::io(&path, error))?;
        session.store.put(&bytes)?;
    }
    Ok(())
}
