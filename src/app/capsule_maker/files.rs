//! Copies of folders.

use std::fs;
use std::path::Path;

use rand::SeedableRng as _;
use rand::rngs::StdRng;
use rand::seq::SliceRandom as _;
use walkdir::{DirEntry, WalkDir};

use super::error::{MakeError, at};

/// Copies the files and folders that are taken, in an order that a seed decides, or by name
/// without one; links are left out.
///
/// # Errors
/// A folder that cannot be read, or one that cannot be written.
pub fn copy_files(
    from: &Path,
    to: &Path,
    seed: Option<u64>,
    is_taken: &dyn Fn(&DirEntry) -> bool,
) -> Result<(), MakeError> {
    let mut files = Vec::new();
    let walk = WalkDir::new(from).follow_links(false).sort_by_file_name();
    for entry in walk.into_iter().filter_entry(is_taken) {
        let entry = entry.map_err(|error| at(from)(error.into()))?;
        let below = to.join(entry.path().strip_prefix(from).unwrap_or(entry.path()));
        if entry.file_type().is_dir() {
            fs::create_dir_all(&below).map_err(at(&below))?;
        } else if entry.file_type().is_file() {
            files.push((entry.into_path(), below));
        }
    }
    if let Some(seed) = seed {
        files.shuffle(&mut StdRng::seed_from_u64(seed));
    }
    for (from, to) in files {
        fs::copy(&from, &to).map_err(at(&from))?;
    }
    Ok(())
}
