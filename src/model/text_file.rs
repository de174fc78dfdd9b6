//! Small files of the operator's.

use std::fs::File;
use std::io::{Error, ErrorKind, Read as _};
use std::path::Path;

use crate::domain::text_place::in_utf8;

/// The text of a regular file of at most so many bytes. A pipe or a device is
/// refused without waiting for it.
///
/// # Errors
/// A file that is absent, no plain file, too large, or no UTF-8.
pub fn read(path: &Path, most: u64) -> std::io::Result<String> {
    if !std::fs::metadata(path)?.is_file() {
        return Err(Error::new(ErrorKind::InvalidInput, "it is no file"));
    }
    read_rest(&mut File::open(path)?, most)
}

/// The rest of an open file's text.
///
/// # Errors
/// A file that is too large, or no UTF-8.
pub fn read_rest(file: &mut File, most: u64) -> std::io::Result<String> {
    let mut bytes = Vec::new();
    file.take(most + 1).read_to_end(&mut bytes)?;
    let text = in_utf8(bytes).map_err(|error| Error::new(ErrorKind::InvalidData, error))?;
    if text.len() as u64 > most {
        return Err(Error::new(
            ErrorKind::FileTooLarge,
            format!("it has more than {most} bytes"),
        ));
    }
    Ok(text)
}
