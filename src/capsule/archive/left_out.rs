//! Entries of an archive that were not kept.

use serde::{Deserialize, Serialize};

use crate::domain::excerpt;

/// The reason for which an entry was not kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LeftOutReason {
    LinkLeadsOut,
    LinkToNothing,
    HardLinkToNoFile,
    Pipe,
    SparseFile,
    UnknownKind,
    NameTooLong,
    /// An entry below one that is no folder, or a folder in the place of a file.
    FileInTheWay,
    FolderInTheWay,
    Replaced,
    BesideTheCapsule,
}

/// An entry that was not kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// Its path in the archive; bytes that are no UTF-8 are replaced.
    pub path: String,
    pub reason: LeftOutReason,
}

/// The entries that were not kept, of which the first [`LeftOutList::NAMED`] are named.
#[derive(Debug, Default)]
pub(super) struct LeftOutList {
    pub named: Vec<LeftOut>,
    pub further: u64,
}

impl LeftOutList {
    /// A hostile archive may hold hundreds of thousands.
    const NAMED: usize = 1_000;
    /// Most characters of a path that are kept.
    const LONGEST: usize = 300;

    pub fn add(&mut self, path: &[u8], reason: LeftOutReason) {
        if self.named.len() == Self::NAMED {
            self.further += 1;
            return;
        }
        self.named.push(LeftOut {
            path: shown(path),
            reason,
        });
    }
}

/// A path for people, cut where it is very long.
pub(super) fn shown(path: &[u8]) -> String {
    excerpt::shortened(&String::from_utf8_lossy(path), LeftOutList::LONGEST)
}
