//! Removing folders of any depth.

use std::fs;
use std::io;
use std::path::Path;

use walkdir::WalkDir;

/// Levels that are removed at once. The system keeps a descriptor open for
/// each, and the names of all of them must fit into a path.
const LEVELS: usize = 8;

/// Removes a folder with everything in it; what lies deep is moved up beside it first.
pub fn remove(folder: &Path) -> io::Result<()> {
    let Some(parent) = folder.parent() else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    let mut open = vec![folder.to_owned()];
    let mut number = 0_u64;
    while let Some(folder) = open.pop() {
        let below: Vec<_> = WalkDir::new(&folder)
            .follow_links(false)
            .min_depth(LEVELS)
            .max_depth(LEVELS)
            .into_iter()
            .flatten()
            .filter(|entry| entry.file_type().is_dir())
            .map(walkdir::DirEntry::into_path)
            .collect();
        for deep in below {
            let beside = loop {
                number += 1;
                let name = parent.join(format!(".removed-{number}"));
                if name.symlink_metadata().is_err() {
                    break name;
                }
            };
            fs::rename(deep, &beside)?;
            open.push(beside);
        }
        fs::remove_dir_all(&folder)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_deeper_than_any_path_is_removed() {
        let place = tempfile::tempdir().unwrap();
        let name = "n".repeat(200);
        let root = place.path().join("root");
        // Built from below: a path to the innermost could not be written down.
        for _ in 0..60 {
            let wrap = place.path().join("wrap");
            fs::create_dir(&wrap).unwrap();
            if root.exists() {
                fs::rename(&root, wrap.join(&name)).unwrap();
            } else {
                fs::write(wrap.join("file"), "x").unwrap();
            }
            fs::rename(&wrap, &root).unwrap();
        }
        remove(&root).unwrap();
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
    }
}
