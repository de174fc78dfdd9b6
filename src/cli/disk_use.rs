//! The room that files take on disk.

use std::path::Path;

use walkdir::WalkDir;

/// Bytes of a file, or of all files below a folder.
pub fn size(path: &Path) -> u64 {
    WalkDir::new(path)
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.metadata().ok())
        .map(|metadata| metadata.len())
        .sum()
}
