//! Files that are scored, read with a bound.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use crate::cli::exit::Failure;

/// Most bytes of one file that are read.
const LARGEST: u64 = 256 << 20;

/// The bytes of a file that the command line names.
pub fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let unreadable = |error: &dyn std::fmt::Display| {
        Failure::usage(format!(
            "{} cannot be read: {error}. Name a file that exists.",
            path.display()
        ))
    };
    let file = File::open(path).map_err(|error| unreadable(&error))?;
    // One read where the size is known; what it says is no promise.
    let size = file.metadata().map_or(0, |data| data.len().min(LARGEST));
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0) + 1);
    file.take(LARGEST + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| unreadable(&error))?;
    if bytes.len() as u64 > LARGEST {
        return Err(unreadable(&format!("it has more than {LARGEST} bytes")));
    }
    Ok(bytes)
}
