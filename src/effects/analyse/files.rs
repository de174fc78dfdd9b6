//! Files of the workspace, with their digests.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use walkdir::WalkDir;

use crate::domain::digest::Digest;
use crate::domain::workspace_path::WorkspacePath;
use crate::engine::error::EngineError;
use crate::engine::session::Session;
use crate::run::event::{FileRecord, Snapshot};
use crate::sandbox::removal;

/// The folders at the top of the workspace that hold the task's data, as they were staged.
pub fn data_folders(session: &Session) -> Vec<String> {
    let staged = session.state.started.iter().flat_map(|started| &started.data);
    let mut folders: Vec<String> = staged
        .filter_map(|file| file.path.as_str().split('/').next().map(str::to_owned))
        .collect();
    folders.sort();
    folders.dedup();
    if folders.is_empty() && session.folder.workspace().join(WorkspacePath::DATA).is_dir() {
        folders.push(WorkspacePath::DATA.to_owned());
    }
    folders
}

/// Every plain file below a folder of the workspace, in order. Links and
/// special files are not followed and not listed.
///
/// # Errors
/// A folder or file that cannot be read.
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
            digest: Digest::compute_reader(file).map_err(io)?,
            size,
        });
    }
    files.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(files)
}

/// The folder's files and folders.
///
/// # Errors
/// A folder or file that cannot be read.
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

/// Folders in folders at most, and bytes of a folder's path: names further down
/// no longer fit into a path.
const DEEPEST: usize = 64;
const LONGEST: usize = 1024;
/// How many removed files are named.
const NAMED: usize = 20;

/// Removes what no digest covers, and names it: links and special files, whose
/// targets a later execution could run unseen, and files whose names are none
/// of a workspace's or lie too deep to be listed.
///
/// # Errors
/// A file or link that cannot be removed.
pub fn remove_odd(workspace: &Path, folder: &str) -> Result<Vec<String>, EngineError> {
    let mut removed = Vec::new();
    let mut more = 0_u64;
    let mut walk = WalkDir::new(workspace.join(folder))
        .follow_links(false)
        .min_depth(1)
        .sort_by_file_name()
        .into_iter();
    while let Some(entry) = walk.next() {
        let Ok(entry) = entry else { continue };
        let path = entry.path().strip_prefix(workspace).unwrap_or(entry.path());
        let kind = entry.file_type();
        let plain = path
            .to_str()
            .is_some_and(|text| text.parse::<WorkspacePath>().is_ok());
        let why = if !kind.is_file() && !kind.is_dir() {
            "is a link or a special file"
        } else if !plain {
            "has a name that cannot be used in a workspace"
        } else if kind.is_dir() && (entry.depth() >= DEEPEST || path.as_os_str().len() > LONGEST) {
            "lies too deep"
        } else {
            continue;
        };
        let gone = if kind.is_dir() {
            walk.skip_current_dir();
            removal::remove(entry.path())
        } else {
            fs::remove_file(entry.path())
        };
        gone.map_err(|error| EngineError::io(entry.path(), error))?;
        if removed.len() < NAMED {
            let name: String = path.to_string_lossy().escape_debug().take(200).collect();
            removed.push(format!("{name} {why} and was removed"));
        } else {
            more += 1;
        }
    }
    if more > 0 {
        removed.push(format!("{more} more of this kind were removed"));
    }
    Ok(removed)
}

/// Removes what is not in `before`, and names what differs from it.
///
/// # Errors
/// A file that cannot be read or removed, or a folder that cannot be made.
pub fn restore(workspace: &Path, folder: &str, before: &Snapshot) -> Result<Vec<FileRecord>, EngineError> {
    open_up(workspace, folder);
    remove_odd(workspace, folder)?;
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
    #[test]
    fn what_no_digest_covers_is_removed_and_named() {
        use std::os::unix::ffi::OsStrExt as _;
        let workspace = tempfile::tempdir().unwrap();
        let work = workspace.path().join("work");
        fs::create_dir_all(work.join("new\nline/folder")).unwrap();
        fs::write(work.join("new\nline/folder/a.py"), "1").unwrap();
        fs::write(work.join("x".repeat(250)), "1").unwrap();
        fs::write(work.join(std::ffi::OsStr::from_bytes(b"\xff.py")), "1").unwrap();
        fs::write(work.join("\u{1b}[2J"), "1").unwrap();
        fs::write(work.join("kept.py"), "1").unwrap();
        let deep = (0..DEEPEST + 5).fold(work.clone(), |path, _| path.join("n"));
        fs::create_dir_all(&deep).unwrap();
        for number in 0..2 * NAMED {
            std::os::unix::fs::symlink("/etc", work.join(format!("link-{number}"))).unwrap();
        }
        let removed = remove_odd(workspace.path(), "work").unwrap();
        assert_eq!(removed.len(), NAMED + 1, "{removed:#?}");
        assert!(removed.iter().all(|line| !line.contains(char::is_control)));
        let left: Vec<_> = list(workspace.path(), "work").unwrap();
        assert_eq!(left.len(), 1, "{left:?}");
        assert!(!deep.exists());
    }
}
