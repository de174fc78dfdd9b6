//! Files that are compressed as a whole.

use std::io::Read;

/// The content of a file that begins as gzip, bzip2 or xz files do; `None` for any other file.
pub fn decompressed(bytes: &[u8]) -> Option<Box<dyn Read + '_>> {
    if bytes.starts_with(b"\x1f\x8b") {
        Some(Box::new(flate2::read::MultiGzDecoder::new(bytes)))
    } else if bytes.starts_with(b"BZh") {
        Some(Box::new(bzip2::read::MultiBzDecoder::new(bytes)))
    } else if bytes.starts_with(b"\xfd7zXZ\0") {
        Some(Box::new(lzma_rust2::XzReader::new(bytes, true)))
    } else {
        None
    }
}
