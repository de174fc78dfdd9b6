//! The progress of the unpacking of an archive.

use std::ops::ControlFlow;

/// Counts of what was read of an archive, and of what it unpacked to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct UnpackProgress {
    pub entries: u64,
    /// Bytes of the archive that were read.
    pub packed: u64,
    /// Bytes that these unpacked to.
    pub unpacked: u64,
}

/// Is told how far it is, at each entry and at least every MiB, and says whether to go on.
pub type OnProgress<'a> = &'a mut dyn FnMut(UnpackProgress) -> ControlFlow<()>;
