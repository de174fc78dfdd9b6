//! Files that are whole or not there.
//!
//! A crash can leave the half-written file behind. It lies in a folder that the
//! caller names, so that nobody takes it for the file itself.

use std::fs::Permissions;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use super::error::EngineError;

/// Puts `bytes` in the place of a file by renaming; readable by everybody.
/// `partial` is an existing folder on the same file system.
///
/// # Errors
/// A folder that cannot be written to.
pub fn replace(path: &Path, bytes: &[u8], partial: &Path) -> Result<(), EngineError> {
    let io = |error| EngineError::io(path, error);
    write(path, bytes, partial)?
        .persist(path)
        .map_err(|error| io(error.error))?;
    Ok(())
}

/// The same, and never over a file that is there.
///
/// # Errors
/// A folder that cannot be written to, or a file that is there.
pub fn create(path: &Path, bytes: &[u8]) -> Result<(), EngineError> {
    let io = |error| EngineError::io(path, error);
    let folder = path.parent().unwrap_or(Path::new("."));
    write(path, bytes, folder)?
        .persist_noclobber(path)
        .map_err(|error| io(error.error))?;
    Ok(())
}

fn write(path: &Path, bytes: &[u8], partial: &Path) -> Result<tempfile::NamedTempFile, EngineError> {
    let io = |error| EngineError::io(path, error);
    let mut file = tempfile::Builder::new()
        .permissions(Permissions::from_mode(0o644))
        .tempfile_in(partial)
        .map_err(io)?;
    file.write_all(bytes).map_err(io)?;
    file.as_file().sync_all().map_err(io)?;
    Ok(file)
}
