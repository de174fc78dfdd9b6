//! The folder of the shared data, for the tests of `documents`.

use std::path::{Path, PathBuf};

#[path = "../need/mod.rs"]
pub mod need;

/// A folder of the shared data.
pub fn folder(below: &str) -> Option<PathBuf> {
    need::shared(&format!("data/{below}"))
}

/// Every file below a folder, in a stable order.
#[allow(dead_code, reason = "not every test lists files")]
pub fn files(folder: &Path) -> Vec<PathBuf> {
    walkdir::WalkDir::new(folder)
        .sort_by_file_name()
        .into_iter()
        .flatten()
        .filter(|entry| entry.file_type().is_file())
        .map(walkdir::DirEntry::into_path)
        .collect()
}
