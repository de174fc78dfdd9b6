//! The zip of a log.

use std::io::{Cursor, Write as _};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use crate::report::export::member::Member;

/// The members as one deflated zip; the same bytes for the same members.
///
/// # Errors
/// More than a zip can hold.
pub fn zipped(members: &[Member]) -> zip::result::ZipResult<Vec<u8>> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .last_modified_time(DateTime::default());
    for member in members {
        writer.start_file(member.path.as_str(), options)?;
        writer.write_all(&member.bytes)?;
    }
    Ok(writer.finish()?.into_inner())
}
