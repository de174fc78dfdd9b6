//! Removing folders that code may have made too deep, or closed.

use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

/// Levels that are removed at once. The system keeps a descriptor open and a stack
/// frame for each, and the names of all of them must fit into a path.
const LEVELS: usize = 8;

/// Removes a folder with everything in it, if it is there; what lies deep is moved up
/// beside it first.
///
/// # Errors
/// What cannot be removed.
pub fn remove(folder: &Path) -> io::Result<()> {
    let Some(parent) = folder.parent() else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    let mut open = vec![folder.to_owned()];
    let mut number = 0_u64;
    while let Some(folder) = open.pop() {
        for deep in opened(&folder) {
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
        match fs::remove_dir_all(&folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

/// Opens to their owner the folders of the first levels, and names those below them.
fn opened(folder: &Path) -> Vec<PathBuf> {
    let mut deep = Vec::new();
    let mut open = vec![(folder.to_owned(), 0)];
    while let Some((folder, level)) = open.pop() {
        // What stays closed makes the removal fail, which is reported.
        open_up(&folder);
        if level == LEVELS {
            deep.push(folder);
            continue;
        }
        let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
        open.extend(
            entries
                .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
                .map(|entry| (entry.path(), level + 1)),
        );
    }
    deep
}

fn open_up(folder: &Path) {
    let Ok(found) = folder.symlink_metadata() else {
        return;
    };
    if found.is_dir() && found.mode() & 0o700 != 0o700 {
        let _ = fs::set_permissions(folder, fs::Permissions::from_mode(0o700));
    }
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

    #[test]
    fn folders_beyond_any_stack_and_closed_ones_are_removed() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().join("root");
        let made = std::process::Command::new("python3")
            .current_dir(place.path())
            .args(["-c", "import os\nos.mkdir('root'); os.chdir('root')\nfor _ in range(20000): os.mkdir('n'); os.chdir('n')\nos.mkdir('closed', 0)"])
            .status()
            .unwrap();
        assert!(made.success());
        remove(&root).unwrap();
        remove(&root).unwrap();
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
    }

    #[test]
    fn what_links_name_stays() {
        let place = tempfile::tempdir().unwrap();
        let kept = place.path().join("kept");
        fs::create_dir(&kept).unwrap();
        fs::set_permissions(&kept, fs::Permissions::from_mode(0o500)).unwrap();
        let root = place.path().join("root");
        fs::create_dir(&root).unwrap();
        std::os::unix::fs::symlink(&kept, root.join("link")).unwrap();
        remove(&root).unwrap();
        assert_eq!(kept.metadata().unwrap().permissions().mode() & 0o777, 0o500);
    }
}
