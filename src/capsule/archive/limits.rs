//! The limits within which an archive is unpacked.

/// The limits on an archive. They hold whatever its headers say, on what is really decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ArchiveLimits {
    /// Most entries, headers of long names included.
    pub entries: u64,
    /// Most bytes that the archive unpacks to, headers and copies of hard links included.
    pub bytes: u64,
    /// Most bytes of one file.
    pub file_bytes: u64,
    /// Most bytes that one packed byte may unpack to.
    pub ratio: u64,
    /// Bytes that are unpacked before the ratio is looked at: small archives of zeros are harmless.
    pub ratio_from: u64,
}

impl Default for ArchiveLimits {
    /// A capsule of CORE-Bench has a machine of 80 GB for itself and its environment.
    fn default() -> Self {
        Self {
            entries: 500_000,
            bytes: 64 << 30,
            file_bytes: 32 << 30,
            ratio: 200,
            ratio_from: 256 << 20,
        }
    }
}
