//! The shared data of the released benchmark.

use std::path::{Path, PathBuf};

use crate::need;

/// The released benchmark's folder.
pub fn released() -> Option<PathBuf> {
    need::shared("data/replicatorbench")
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
