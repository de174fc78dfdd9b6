//! The shared data of the released benchmark.

use std::path::{Path, PathBuf};

/// The released benchmark's folder; `None`, with a message, where it is absent.
pub fn released() -> Option<PathBuf> {
    let root = std::env::var_os("REPRISE_SHARED").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"),
        PathBuf::from,
    );
    let folder = root.join("data/replicatorbench");
    if folder.is_dir() {
        return Some(folder);
    }
    println!("skipped: no shared data at {}", folder.display());
    None
}

/// All files of a name below a folder, sorted.
pub fn files_named(folder: &Path, name: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.file_name().is_some_and(|found| found == name) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}
