//! A capsule as it was laid out.

use serde::{Deserialize, Serialize};

use super::decide::RemovalReason;
use crate::domain::digest::Digest;

/// A capsule as laid out for an agent. Paths are relative to its top, with `/` between their
/// parts, and every list is in their order.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaidOut {
    /// The files that the agent is given.
    pub kept: Vec<LaidOutFile>,
    /// The files that the level takes away.
    pub removed: Vec<RemovedFile>,
    /// Copies of removed results that stand elsewhere, by content: left out as well.
    pub copies: Vec<LeakedCopy>,
    /// Symbolic links and odd names that were not copied, as sentences.
    pub left_out: Vec<String>,
    /// Folders without a file in them.
    pub empty_folders: Vec<String>,
}

/// A file that the agent is given.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LaidOutFile {
    pub path: String,
    pub digest: Digest,
    /// Bytes.
    pub size: u64,
}

/// A file that the level takes away.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RemovedFile {
    pub path: String,
    pub reason: RemovalReason,
    pub digest: Digest,
    /// Bytes.
    pub size: u64,
}

/// A file with the content of a removed result.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LeakedCopy {
    pub path: String,
    /// The removed file.
    pub of: String,
}
