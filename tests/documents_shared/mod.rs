//! Where the shared data is, for the tests of `documents`.

use std::path::{Path, PathBuf};

/// A folder of the shared data, or `None` with a word on why not.
pub fn folder(below: &str) -> Option<PathBuf> {
    let shared = std::env::var_os("REPRISE_SHARED").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"),
        PathBuf::from,
    );
    let folder = shared.join("data").join(below);
    if folder.is_dir() {
        return Some(folder);
    }
    println!("skipped: no shared data at {}", folder.display());
    None
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
