//! The parts of a sparse file that hold data.

use std::fs::File;
use std::io;

use nix::errno::Errno;
use nix::unistd::{Whence, lseek};

/// The size up to which a file is taken whole, holes and all.
pub const SMALL: u64 = 16 << 20;

/// A part of a file that holds data: its first byte, and the first one after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DataPart {
    pub from: u64,
    pub to: u64,
}

/// The parts with data of a large file that is mostly holes; `None` of every other file, and
/// where the file system does not tell.
///
/// # Errors
/// A file that cannot be looked at.
pub fn sparse_parts(file: &File, size: u64) -> io::Result<Option<Vec<DataPart>>> {
    if size <= SMALL {
        return Ok(None);
    }
    Ok(data_parts(file, size)?.filter(|parts| length(parts) < size / 2))
}

/// Bytes of the parts.
pub fn length(parts: &[DataPart]) -> u64 {
    parts.iter().map(|part| part.to - part.from).sum()
}

/// The parts with data; `None` where the file system does not tell.
fn data_parts(file: &File, size: u64) -> io::Result<Option<Vec<DataPart>>> {
    let seek = |from: u64, whence| match lseek(file, i64::try_from(from).unwrap_or(i64::MAX), whence) {
        Ok(at) => Ok(Some(u64::try_from(at).unwrap_or(size).min(size))),
        // Nothing but a hole up to the end.
        Err(Errno::ENXIO) => Ok(Some(size)),
        Err(Errno::EINVAL | Errno::EOPNOTSUPP) => Ok(None),
        Err(errno) => Err(io::Error::from(errno)),
    };
    let mut parts = Vec::new();
    let mut at = 0;
    while at < size {
        let Some(from) = seek(at, Whence::SeekData)? else {
            return Ok(None);
        };
        if from >= size {
            break;
        }
        let Some(to) = seek(from, Whence::SeekHole)? else {
            return Ok(None);
        };
        parts.push(DataPart { from, to });
        at = to.max(from + 1);
    }
    lseek(file, 0, Whence::SeekSet)?;
    Ok(Some(parts))
}
