//! Files of the workspace, with their digests.

use std::collections::BTreeMap;
use std::fs::{self, FileType, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use tokio_util::sync::CancellationToken;
use walkdir::WalkDir;

use crate::domain::workspace_path::WorkspacePath;
use crate::engine::error::EngineError;
use crate::engine::session::Session;
use crate::run::event::{FileRecord, Snapshot, UnreadFiles};
use crate::sandbox::removal;

use super::file_digest::{self, FileToDigest};

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

/// Bytes that are read for one list: eight files of the size that an execution may write at
/// most, and a minute at 300 MB a second. Beyond them the largest files are told apart by size
/// and time alone.
const READ: u64 = 16 << 30;
/// Files that were not read are named up to this number.
const UNREAD: usize = 10;

/// The plain files below a folder of the workspace.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileList {
    /// In order.
    pub files: Vec<FileRecord>,
    /// Those whose digest is of size and time, since there was too much to be read.
    pub unread: Option<UnreadFiles>,
}

/// Every plain file below a folder of the workspace, in order. Links and
/// special files are not followed and not listed.
///
/// # Errors
/// A folder or file that cannot be read; [`EngineError::Stopped`] where `cancel` came first.
pub fn list(workspace: &Path, folder: &str, cancel: &CancellationToken) -> Result<FileList, EngineError> {
    list_up_to(READ, workspace, folder, cancel)
}

fn list_up_to(
    most: u64,
    workspace: &Path,
    folder: &str,
    cancel: &CancellationToken,
) -> Result<FileList, EngineError> {
    let root = workspace.join(folder);
    let mut found: Vec<(u64, WorkspacePath)> = Vec::new();
    for entry in WalkDir::new(&root).follow_links(false) {
        if cancel.is_cancelled() {
            return Err(EngineError::Stopped(None));
        }
        let io = |error| walk_error(&root, error);
        let entry = entry.map_err(io)?;
        if !entry.file_type().is_file() {
            continue;
        }
        if let Some(path) = workspace_path(workspace, entry.path()) {
            found.push((entry.metadata().map_err(io)?.len(), path));
        }
    }
    // The small ones first: what is not read is what is largest.
    found.sort();
    let mut list = FileList::default();
    let mut read = 0;
    for (_, path) in found {
        let on_disk = path.below(workspace);
        let io = |error: std::io::Error| stopped_or_io(&on_disk, error);
        let file = fs::File::open(&on_disk).map_err(io)?;
        let metadata = file.metadata().map_err(io)?;
        let size = metadata.len();
        let file = FileToDigest::new(file).map_err(io)?;
        let digest = if read + file.bytes() <= most {
            read += file.bytes();
            file.digest(cancel).map_err(io)?
        } else {
            let unread = list.unread.get_or_insert_default();
            unread.count += 1;
            unread.bytes += size;
            if unread.paths.len() < UNREAD {
                unread.paths.push(path.clone());
            }
            file_digest::unread(&metadata)
        };
        list.files.push(FileRecord { path, digest, size });
    }
    list.files.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(list)
}

/// An IO error at a path, with work that was to stop told apart.
pub fn stopped_or_io(path: &Path, error: std::io::Error) -> EngineError {
    match error.kind() {
        std::io::ErrorKind::Interrupted => EngineError::Stopped(None),
        _ => EngineError::io(path, error),
    }
}

fn workspace_path(workspace: &Path, path: &Path) -> Option<WorkspacePath> {
    path.strip_prefix(workspace).ok()?.to_str()?.parse().ok()
}

/// The paths of the plain files below a folder of the workspace, in order.
///
/// # Errors
/// A folder that cannot be read.
pub fn paths(workspace: &Path, folder: &str) -> Result<Vec<WorkspacePath>, EngineError> {
    let mut paths = found(workspace, folder, FileType::is_file)?;
    paths.sort();
    Ok(paths)
}

/// The folders below a folder of the workspace, in order.
///
/// # Errors
/// A folder that cannot be read.
pub fn folders(workspace: &Path, folder: &str) -> Result<Vec<WorkspacePath>, EngineError> {
    found(workspace, folder, FileType::is_dir)
}

/// Everything of a kind below a folder of the workspace.
fn found(
    workspace: &Path,
    folder: &str,
    is_wanted: fn(&FileType) -> bool,
) -> Result<Vec<WorkspacePath>, EngineError> {
    let root = workspace.join(folder);
    let mut found = Vec::new();
    for entry in WalkDir::new(&root)
        .follow_links(false)
        .min_depth(1)
        .sort_by_file_name()
    {
        let entry = entry.map_err(|error| walk_error(&root, error))?;
        if is_wanted(&entry.file_type()) {
            found.extend(workspace_path(workspace, entry.path()));
        }
    }
    Ok(found)
}

fn walk_error(root: &Path, error: walkdir::Error) -> EngineError {
    let path = error.path().unwrap_or(root).to_owned();
    let error = error.into_io_error();
    EngineError::io(&path, error.unwrap_or_else(|| std::io::ErrorKind::Other.into()))
}

/// The text of a file that code may have written; empty if there is no file.
///
/// # Errors
/// A file that exists and cannot be read: a fault of the machine, not an empty answer.
pub fn text_if_there(path: &Path) -> Result<String, EngineError> {
    match fs::read(path) {
        Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
        Err(error) => Err(EngineError::io(path, error)),
    }
}

/// The folder's files and folders.
///
/// # Errors
/// A folder or file that cannot be read; [`EngineError::Stopped`] where `cancel` came first.
pub fn snapshot(workspace: &Path, folder: &str, cancel: &CancellationToken) -> Result<Snapshot, EngineError> {
    Ok(Snapshot {
        files: list(workspace, folder, cancel)?.files,
        folders: folders(workspace, folder)?,
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
        // One of another size goes, too: it has changed, and need not be read to be told so.
        let size = entry.metadata().map_or(u64::MAX, |found| found.len());
        let listed = workspace_path(workspace, entry.path())
            .is_some_and(|path| known.get(&path).is_some_and(|file| file.size == size));
        if !(listed && entry.file_type().is_file()) {
            fs::remove_file(entry.path()).map_err(io)?;
        }
    }
    let present: BTreeMap<_, _> = list(workspace, folder, &CancellationToken::new())?
        .files
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

    fn go() -> CancellationToken {
        CancellationToken::new()
    }

    #[test]
    fn what_is_too_much_to_be_read_is_told_apart_by_size_and_time() {
        let workspace = tempfile::tempdir().unwrap();
        let work = workspace.path().join("work");
        fs::create_dir(&work).unwrap();
        fs::write(work.join("a.bin"), [1; 3000]).unwrap();
        fs::write(work.join("b.bin"), [2; 2000]).unwrap();
        fs::write(work.join("c.py"), "print(1)").unwrap();
        let look = || list_up_to(2500, workspace.path(), "work", &go()).unwrap();
        let before = look();
        let unread = before.unread.clone().unwrap();
        assert_eq!((unread.count, unread.bytes), (1, 3000));
        assert_eq!(unread.paths[0].as_str(), "work/a.bin");
        assert_eq!(
            before.files[2].digest,
            crate::domain::digest::Digest::compute("print(1)")
        );
        assert_eq!(look(), before);
        fs::File::options()
            .write(true)
            .open(work.join("a.bin"))
            .unwrap()
            .set_modified(std::time::SystemTime::UNIX_EPOCH)
            .unwrap();
        let changed = changed(&before.files, &look().files);
        assert_eq!(changed.len(), 1);
        assert_eq!(changed[0].path.as_str(), "work/a.bin");
    }

    #[test]
    fn sparse_files_are_listed_without_being_read_and_a_stop_is_heard() {
        let workspace = tempfile::tempdir().unwrap();
        let work = workspace.path().join("work");
        fs::create_dir(&work).unwrap();
        for number in 0..60 {
            let file = fs::File::create(work.join(format!("{number}.bin"))).unwrap();
            file.set_len(2 << 30).unwrap();
        }
        // 120 GB that would take minutes to read, and would not fit.
        let found = list(workspace.path(), "work", &go()).unwrap();
        assert_eq!((found.files.len(), found.unread), (60, None));
        let stopped = go();
        stopped.cancel();
        let error = list(workspace.path(), "work", &stopped).unwrap_err();
        assert!(matches!(error, EngineError::Stopped(None)), "{error}");
    }

    #[test]
    fn results_that_cannot_be_read_are_no_empty_ones() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("results");
        assert_eq!(text_if_there(&path).unwrap(), "");
        fs::write(&path, b"a\xff").unwrap();
        assert_eq!(text_if_there(&path).unwrap(), "a\u{fffd}");
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        assert!(matches!(text_if_there(&path), Err(EngineError::Io { .. })));
    }

    #[test]
    fn a_folder_that_cannot_be_read_is_no_empty_one() {
        let workspace = tempfile::tempdir().unwrap();
        fs::create_dir_all(workspace.path().join("work/sub")).unwrap();
        fs::write(workspace.path().join("work/sub/a.py"), "1").unwrap();
        assert_eq!(paths(workspace.path(), "work").unwrap().len(), 1);
        assert_eq!(folders(workspace.path(), "work").unwrap().len(), 1);
        // What root cannot list either: a file in the folder's place, or none.
        for folder in ["work/sub/a.py/b", "gone"] {
            for error in [
                paths(workspace.path(), folder).unwrap_err(),
                folders(workspace.path(), folder).unwrap_err(),
            ] {
                assert!(error.to_string().contains(folder), "{error}");
            }
        }
    }

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
        let before = snapshot(workspace.path(), "work", &go()).unwrap();
        assert_eq!((before.files.len(), before.folders.len()), (2, 2));
        write("work/out/c.txt", "3");
        write("work/sub/b.csv", "changed");
        std::os::unix::fs::symlink("/etc/passwd", workspace.path().join("work/link")).unwrap();
        let after = list(workspace.path(), "work", &go()).unwrap().files;
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
        let left: Vec<_> = list(workspace.path(), "work", &go()).unwrap().files;
        assert_eq!(left.len(), 1, "{left:?}");
        assert!(!deep.exists());
    }
}
