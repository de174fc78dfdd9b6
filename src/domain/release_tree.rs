//! The files of a release, as a run names them.

use serde::{Deserialize, Serialize};

use super::digest::Digest;

/// The files of a release of somebody else's program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReleaseTree {
    /// The package with its version, as people name it.
    pub package: String,
    /// Over all its files.
    pub tree: Digest,
}
