//! Files of the workspace, with their digests.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use walkdir::WalkDir;

use crate::domain::digest::Digest;
use crate::domain::workspace_path::WorkspacePath;
use crate::engine::error::EngineError;
use crate::run::event::{FileRecord, Snapshot};

/// Every plain file below a folder of the workspace, in order. Links and
/// special files are not followed and not listed.
pub fn list(workspace: &Path, folder: &str) -> Result<Vec<FileRecord>, EngineError> {
    let root = workspace.join(folder);
    let mut files = Vec::new();
    for entry in WalkDir::new(&root).follow_links(false).sort_by_file_name() {
        let entry = entry.map_err(|error| {
            EngineError::io(
                &root,
                error
                    .into_io_error()
                    .unwrap_or_else(|| std::io::ErrorKind::Other.into()),
            )
        })?;
        if !entry.file_type().is_file() {
            continue;
        }
        let Some(path) = entry
            .path()
            .strip_prefix(workspace)
            .ok()
            .and_then(Path::to_str)
            .and_then(|text| text.parse::<WorkspacePath>().ok())
        else {
            continue;
        };
        let io = |error| EngineError::io(entry.path(), error);
        let file = fs::File::open(entry.path()).map_err(io)?;
        let size = file.metadata().map_err(io)?.len();
        files.push(FileRecord {
            path,
            digest: Digest::of_reader(file).map_err(io)?,
            size,
        });
    }
    files.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(files)
}

/// The folder's files and folders.
pub fn snapshot(workspace: &Path, folder: &str) -> Result<Snapshot, EngineError> {
    let folders = WalkDir::new(workspace.join(folder))
        .follow_links(false)
        .min_depth(1)
        .sort_by_file_name()
        .into_iter()
        .flatten()
        .filter(|entry| entry.file_type().is_dir())
        .filter_map(|entry| entry.path().strip_prefix(workspace).ok()?.to_str()?.parse().ok())
        .collect();
    Ok(Snapshot {
        files: list(workspace, folder)?,
        folders,
    })
}

/// Makes everything below a folder readable and removable for the engine:
/// code may have closed what it made.
pub fn open_up(workspace: &Path, folder: &str) {
    for entry in WalkDir::new(workspace.join(folder))
        .follow_links(false)
        .min_depth(1)
    {
        let Ok(entry) = entry else { continue };
        let wanted = if entry.file_type().is_dir() {
            0o700
        } else if entry.file_type().is_file() {
            0o600
        } else {
            continue;
        };
        let Ok(metadata) = entry.metadata() else { continue };
        let mode = metadata.permissions().mode();
        if mode & wanted != wanted {
            // What cannot be opened shows as an error of the listing.
            let _listing_will_tell = fs::set_permissions(entry.path(), Permissions::from_mode(mode | wanted));
        }
    }
}

/// The files of `after` that are new or different.
pub fn changed(before: &[FileRecord], after: &[FileRecord]) -> Vec<FileRecord> {
    let before: BTreeMap<_, _> = before.iter().map(|file| (&file.path, file.digest)).collect();
    after
        .iter()
        .filter(|file| before.get(&file.path) != Some(&file.digest))
        .cloned()
        .collect()
}

/// Removes links and special files, and names them. What a link leads to is in
/// no digest, so a later execution could run it unseen.
pub fn remove_odd(workspace: &Path, folder: &str) -> Result<Vec<String>, EngineError> {
    let mut removed = Vec::new();
    for entry in WalkDir::new(workspace.join(folder))
        .follow_links(false)
        .sort_by_file_name()
    {
        let Ok(entry) = entry else { continue };
        if entry.file_type().is_file() || entry.file_type().is_dir() {
            continue;
        }
        fs::remove_file(entry.path()).map_err(|error| EngineError::io(entry.path(), error))?;
        let name = entry.path().strip_prefix(workspace).unwrap_or(entry.path());
        removed.push(format!(
            "{} is a link or a special file and was removed",
            name.display()
        ));
    }
    Ok(removed)
}

/// Removes what is not in `before`, and names what differs from it.
pub fn restore(workspace: &Path, folder: &str, before: &Snapshot) -> Result<Vec<FileRecord>, EngineError> {
    open_up(workspace, folder);
    let known: BTreeMap<_, _> = before
        .files
        .iter()
        .map(|file| (file.path.clone(), file))
        .collect();
    let root = workspace.join(folder);
    for entry in WalkDir::new(&root)
        .follow_links(false)
        .contents_first(true)
        .min_depth(1)
    {
        let Ok(entry) = entry else { continue };
        let io = |error| EngineError::io(entry.path(), error);
        if entry.file_type().is_dir() {
            // Only empty ones go; the study's own folders hold files.
            let _still_used = fs::remove_dir(entry.path());
            continue;
        }
        let listed = entry
            .path()
            .strip_prefix(workspace)
            .ok()
            .and_then(Path::to_str)
            .and_then(|text| text.parse::<WorkspacePath>().ok())
            .is_some_and(|path| known.contains_key(&path));
        if !(listed && entry.file_type().is_file()) {
            fs::remove_file(entry.path()).map_err(io)?;
        }
    }
    let present: BTreeMap<_, _> = list(workspace, folder)?
        .into_iter()
        .map(|file| (file.path, file.digest))
        .collect();
    for path in &before.folders {
        let path = path.below(workspace);
        fs::create_dir_all(&path).map_err(|error| EngineError::io(&path, error))?;
    }
    Ok(before
        .files
        .iter()
        .filter(|file| present.get(&file.path) != Some(&file.digest))
        .cloned()
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interrupted_execution_leaves_nothing() {
        let workspace = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = workspace.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("work/a.py", "1");
        write("work/sub/b.csv", "2");
        fs::create_dir(workspace.path().join("work/empty")).unwrap();
        let before = snapshot(workspace.path(), "work").unwrap();
        assert_eq!((before.files.len(), before.folders.len()), (2, 2));
        write("work/out/c.txt", "3");
        write("work/sub/b.csv", "changed");
        std::os::unix::fs::symlink("/etc/passwd", workspace.path().join("work/link")).unwrap();
        let after = list(workspace.path(), "work").unwrap();
        assert_eq!(after.len(), 3, "a link is not a file");
        nix::unistd::mkfifo(&workspace.path().join("work/pipe"), nix::sys::stat::Mode::S_IRWXU).unwrap();
        let removed = remove_odd(workspace.path(), "work").unwrap();
        assert_eq!(removed.len(), 2, "{removed:?}");
        assert_eq!(changed(&before.files, &after).len(), 2);
        let differing = restore(workspace.path(), "work", &before).unwrap();
        assert_eq!(
            differing
                .iter()
                .map(|file| file.path.as_str())
                .collect::<Vec<_>>(),
            ["work/sub/b.csv"]
        );
        assert!(workspace.path().join("work/empty").is_dir());
        assert!(!workspace.path().join("work/out").exists() && !workspace.path().join("work/link").exists());
    }
}
