//! Files that are scored, read with a bound.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::os::unix::fs::FileTypeExt as _;
use std::path::Path;

use crate::grading::discovery::error::DiscoveryError;

/// Most bytes of one file that are read.
const LARGEST: u64 = 256 << 20;

/// The bytes of a file that the command line names.
///
/// # Errors
/// A file that is absent, unreadable, too large or a named pipe.
pub fn read(path: &Path) -> Result<Vec<u8>, DiscoveryError> {
    up_to(path, LARGEST).map_err(|source| DiscoveryError::UnreadableFile {
        path: path.to_owned(),
        source,
    })
}

/// The bytes of a file that may be absent; a pipe or a folder of its name is none.
///
/// # Errors
/// A file that is there and cannot be read.
pub fn read_if_there(path: &Path) -> io::Result<Option<Vec<u8>>> {
    path.is_file().then(|| up_to(path, LARGEST)).transpose()
}

/// The bytes of a file of at most so many.
///
/// # Errors
/// A file that is absent, unreadable, too large or a named pipe.
pub fn up_to(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    // Opening a pipe waits until somebody writes, maybe for ever. One that the shell
    // has made for a command has its writer.
    let is_the_shells = ["/dev", "/proc"].iter().any(|place| path.starts_with(place));
    if !is_the_shells && fs::metadata(path)?.file_type().is_fifo() {
        return Err(io::Error::other(
            "it is a named pipe, which may never be written to; give a file, or `<(command)`",
        ));
    }
    let file = File::open(path)?;
    // One read where the size is known; what it says is no promise.
    let size = file.metadata().map_or(0, |data| data.len().min(most));
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0) + 1);
    file.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(io::Error::other(format!("it has more than {most} bytes")));
    }
    Ok(bytes)
}
