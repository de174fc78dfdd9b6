//! Files that are whole or not there.

use std::fs::Permissions;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use super::error::EngineError;

/// Puts `bytes` in the place of a file by renaming; readable by everybody.
pub fn replace(path: &Path, bytes: &[u8]) -> Result<(), EngineError> {
    let io = |error| EngineError::io(path, error);
    write(path, bytes)?
        .persist(path)
        .map_err(|error| io(error.error))?;
    Ok(())
}

/// The same, and never over a file that is there.
pub fn create(path: &Path, bytes: &[u8]) -> Result<(), EngineError> {
    let io = |error| EngineError::io(path, error);
    write(path, bytes)?
        .persist_noclobber(path)
        .map_err(|error| io(error.error))?;
    Ok(())
}

fn write(path: &Path, bytes: &[u8]) -> Result<tempfile::NamedTempFile, EngineError> {
    let io = |error| EngineError::io(path, error);
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut file = tempfile::Builder::new()
        .permissions(Permissions::from_mode(0o644))
        .tempfile_in(folder)
        .map_err(io)?;
    file.write_all(bytes).map_err(io)?;
    file.as_file().sync_all().map_err(io)?;
    Ok(file)
}
