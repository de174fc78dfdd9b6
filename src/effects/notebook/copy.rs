//! Files of a repository, copied into a workspace.

use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use crate::domain::digest::Digest;
use crate::domain::excerpt;
use crate::domain::workspace_path::WorkspacePath;
use crate::engine::error::EngineError;
use crate::run::event::FileRecord;

/// The most files and bytes of a repository.
const MOST_FILES: usize = 200_000;
const MOST_BYTES: u64 = 20 << 30;
/// The history of a repository, whose files differ from clone to clone.
const HISTORY: &str = ".git";

/// Entries that were left out of a copy, a sentence each.
pub type LeftOut = Vec<String>;

/// The files of a copy.
pub struct CopiedFiles {
    pub files: Vec<FileRecord>,
    pub left_out: LeftOut,
}

/// Copies the plain files of a folder into one that is not there yet. No link is followed.
///
/// # Errors
/// A folder that is gone, is empty or too large, or what cannot be read or written.
pub fn plain_files(source: &Path, target: &Path) -> Result<LeftOut, EngineError> {
    let mut left_out = LeftOut::new();
    let mut bounds = Bounds::default();
    fs::create_dir_all(target).map_err(|error| EngineError::io(target, error))?;
    let source = fs::canonicalize(source).map_err(|error| EngineError::io(source, error))?;
    for entry in WalkDir::new(&source).min_depth(1).sort_by_file_name() {
        let entry = entry.map_err(|error| EngineError::io(&source, error.into()))?;
        let path = entry.path().strip_prefix(&source).unwrap_or(entry.path());
        let to = target.join(path);
        let fault = |error: io::Error| EngineError::io(entry.path(), error);
        if entry.file_type().is_dir() {
            fs::create_dir_all(&to).map_err(|error| EngineError::io(&to, error))?;
        } else if entry.file_type().is_file() {
            let metadata = entry.metadata().map_err(|error| fault(error.into()))?;
            bounds.add(&source, metadata.len())?;
            fs::copy(entry.path(), &to).map_err(fault)?;
            let mode = if metadata.permissions().mode() & 0o111 != 0 {
                0o755
            } else {
                0o644
            };
            fs::set_permissions(&to, Permissions::from_mode(mode))
                .map_err(|error| EngineError::io(&to, error))?;
        } else {
            left_out.push(format!("{}: it is neither a file nor a folder", shown(path)));
        }
    }
    match bounds.files {
        0 => Err(EngineError::Unusable(format!(
            "{} holds no file: it is no mirror of a repository",
            source.display()
        ))),
        _ => Ok(left_out),
    }
}

/// The files below a folder of a workspace, without a history, in their order.
///
/// # Errors
/// Too many of them, or what cannot be read.
pub fn records(workspace: &Path, folder: &Path) -> Result<CopiedFiles, EngineError> {
    let (mut files, mut left_out) = (Vec::new(), LeftOut::new());
    let mut bounds = Bounds::default();
    let top = folder.to_owned();
    let walk = WalkDir::new(folder).min_depth(1).sort_by_file_name().into_iter();
    let walk = walk.filter_entry(move |entry| entry.path() != top.join(HISTORY));
    for entry in walk {
        let entry = entry.map_err(|error| EngineError::io(folder, error.into()))?;
        if !entry.file_type().is_file() {
            continue;
        }
        let relative = entry.path().strip_prefix(workspace).unwrap_or(entry.path());
        let Some(path) = relative
            .to_str()
            .and_then(|path| path.parse::<WorkspacePath>().ok())
        else {
            left_out.push(format!(
                "{}: its name is not told apart from others",
                shown(relative)
            ));
            continue;
        };
        let fault = |error: io::Error| EngineError::io(entry.path(), error);
        let file = File::open(entry.path()).map_err(fault)?;
        let size = file.metadata().map_err(fault)?.len();
        bounds.add(folder, size)?;
        files.push(FileRecord {
            path,
            digest: Digest::compute_reader(file).map_err(fault)?,
            size,
        });
    }
    Ok(CopiedFiles { files, left_out })
}

fn shown(path: &Path) -> String {
    excerpt::start(&path.to_string_lossy(), 200)
        .escape_debug()
        .to_string()
}

/// The files and bytes so far.
#[derive(Default)]
struct Bounds {
    files: usize,
    bytes: u64,
}

impl Bounds {
    fn add(&mut self, source: &Path, size: u64) -> Result<(), EngineError> {
        self.files += 1;
        self.bytes = self.bytes.saturating_add(size);
        if self.files > MOST_FILES || self.bytes > MOST_BYTES {
            return Err(EngineError::Unusable(format!(
                "{} has more than {MOST_FILES} files or {} GiB, and is not copied",
                PathBuf::from(source).display(),
                MOST_BYTES >> 30
            )));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_files_are_copied_and_links_are_named() {
        let place = tempfile::tempdir().unwrap();
        let (source, workspace) = (place.path().join("source"), place.path().join("workspace"));
        fs::create_dir_all(source.join("a/b")).unwrap();
        fs::write(source.join("a/b/run.sh"), "x").unwrap();
        fs::set_permissions(source.join("a/b/run.sh"), Permissions::from_mode(0o4777)).unwrap();
        std::os::unix::fs::symlink("/etc/passwd", source.join("link")).unwrap();
        let target = workspace.join("work/source");
        let left_out = plain_files(&source, &target).unwrap();
        assert_eq!(left_out, ["link: it is neither a file nor a folder"]);
        assert!(!target.join("link").exists());
        let mode = fs::metadata(target.join("a/b/run.sh"))
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o7777, 0o755);
        fs::create_dir_all(target.join(".git")).unwrap();
        fs::write(target.join(".git/index"), "x").unwrap();
        let found = records(&workspace, &target).unwrap();
        assert_eq!(found.files.len(), 1);
        assert_eq!(found.files[0].path.as_str(), "work/source/a/b/run.sh");
        let empty = place.path().join("empty");
        fs::create_dir_all(&empty).unwrap();
        let said = plain_files(&empty, &place.path().join("to"))
            .unwrap_err()
            .to_string();
        assert!(said.contains("holds no file"), "{said}");
        assert!(plain_files(&place.path().join("gone"), &place.path().join("to2")).is_err());
    }
}
