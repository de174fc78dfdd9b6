//! Archives and compressed content, told by their first bytes.

use super::tar;

/// Bytes that are looked at.
pub const HEAD: usize = tar::BLOCK;

/// A form in which files are packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Zip,
    Tar,
    Gzip,
    Bzip2,
    Xz,
    SevenZip,
    Rar,
    Zstd,
}

const MAGIC: [(&[u8], Format); 8] = [
    (b"PK\x03\x04", Format::Zip),
    (b"PK\x05\x06", Format::Zip),
    (b"\x1f\x8b", Format::Gzip),
    (b"BZh", Format::Bzip2),
    (b"\xfd7zXZ\0", Format::Xz),
    (b"7z\xbc\xaf\x27\x1c", Format::SevenZip),
    (b"Rar!\x1a\x07", Format::Rar),
    (b"\x28\xb5\x2f\xfd", Format::Zstd),
];

/// Ends of names that archives have.
const ENDS: [&str; 16] = [
    ".zip", ".jar", ".tar", ".tgz", ".tbz", ".tbz2", ".txz", ".tzst", ".tar.gz", ".tar.bz2", ".tar.xz",
    ".tar.zst", ".tar.z", ".7z", ".rar", ".rproj",
];

impl Format {
    /// The form of content that begins with `head`; `None` of what is not packed.
    pub fn detect(head: &[u8]) -> Option<Self> {
        let known = MAGIC.iter().find(|(magic, _)| head.starts_with(magic));
        known
            .map(|(_, format)| *format)
            .or_else(|| tar::is_header(head).then_some(Self::Tar))
    }
}

/// Whether a file of this name is likely to be an archive.
pub fn is_archive_name(name: &[u8]) -> bool {
    let name = String::from_utf8_lossy(name).to_ascii_lowercase();
    ENDS.iter().any(|end| name.ends_with(end))
}
