//! Results that were shrunk, where their pointers say.

use std::fs;

use crate::agent::results::LeftOut;
use crate::engine::atomic_file;
use crate::engine::error::EngineError;
use crate::engine::session::Session;

/// Writes what is not there yet. The conversation is a fold over the journal,
/// so that a resumed run and a replay write the same files.
///
/// # Errors
/// A file that cannot be written.
pub fn keep(session: &Session, left_out: &[LeftOut]) -> Result<(), EngineError> {
    for one in left_out {
        let path = session.folder.workspace().join(&one.path);
        if path.exists() {
            continue;
        }
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(|error| EngineError::io(folder, error))?;
        }
        atomic_file::replace(&path, one.text.as_bytes(), &session.folder.partial())?;
    }
    Ok(())
}
