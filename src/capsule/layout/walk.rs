//! Every file of a capsule's folder, in a fixed order, with nothing outside it.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use super::error::LayoutError;
use crate::domain::excerpt;
use crate::domain::workspace_path::WorkspacePath;

/// One file of a capsule.
#[derive(Debug)]
pub struct CapsuleFile {
    /// Relative to the capsule's top.
    pub path: String,
    /// The file itself.
    pub real: PathBuf,
    /// The path of the file that a symbolic link leads to, relative to the top.
    pub linked: Option<String>,
    pub size: u64,
    pub is_executable: bool,
}

/// The entries of a capsule's folder.
#[derive(Debug, Default)]
pub struct CapsuleEntries {
    pub files: Vec<CapsuleFile>,
    pub folders: Vec<String>,
    /// The entries that are neither, as sentences.
    pub others: Vec<String>,
}

/// Walks a capsule; `top` is canonical. No symbolic link is followed but a relative one to a file
/// of the capsule.
///
/// # Errors
/// A folder or a file that cannot be read.
pub fn walk(top: &Path) -> Result<CapsuleEntries, LayoutError> {
    let mut found = CapsuleEntries::default();
    let mut walk = WalkDir::new(top).min_depth(1).sort_by_file_name().into_iter();
    while let Some(entry) = walk.next() {
        let entry = entry.map_err(|error| {
            let path = error.path().unwrap_or(top).to_owned();
            LayoutError::io("read", &path)(error.into())
        })?;
        let kind = entry.file_type();
        let relative = entry.path().strip_prefix(top).unwrap_or(entry.path());
        let Some(path) = plain(relative) else {
            let name = relative.to_string_lossy();
            let start = excerpt::start(&name, 200).escape_debug();
            found.others.push(format!(
                "`{start}` has a name that is not plain UTF-8 text, or is too long."
            ));
            if kind.is_dir() {
                walk.skip_current_dir();
            }
            continue;
        };
        if kind.is_dir() {
            found.folders.push(path);
        } else if kind.is_symlink() {
            match linked(top, entry.path(), &path)? {
                LinkTarget::File(file) => found.files.push(file),
                LinkTarget::Other(reason) => found
                    .others
                    .push(format!("`{path}` is a symbolic link {reason}.")),
            }
        } else if kind.is_file() {
            let metadata = entry
                .metadata()
                .map_err(|error| LayoutError::io("read", entry.path())(error.into()))?;
            found.files.push(CapsuleFile {
                path,
                real: entry.path().to_owned(),
                linked: None,
                size: metadata.len(),
                is_executable: is_executable(&metadata),
            });
        } else {
            let reason = "is neither a file nor a folder, but a pipe, a socket or a device";
            found.others.push(format!("`{path}` {reason}."));
        }
    }
    found.files.sort_by(|a, b| a.path.cmp(&b.path));
    found.folders.sort();
    found.others.sort();
    Ok(found)
}

fn is_executable(metadata: &fs::Metadata) -> bool {
    metadata.permissions().mode() & 0o111 != 0
}

/// A path that a workspace takes, as text.
fn plain(relative: &Path) -> Option<String> {
    let text = relative.to_str()?;
    let path: WorkspacePath = text.parse().ok()?;
    (path.as_str() == text).then(|| text.to_owned())
}

/// The target of a symbolic link.
enum LinkTarget {
    File(CapsuleFile),
    /// Not a file of the capsule; a clause behind "a symbolic link".
    Other(&'static str),
}

fn linked(top: &Path, link: &Path, path: &str) -> Result<LinkTarget, LayoutError> {
    let target = fs::read_link(link).map_err(LayoutError::io("read", link))?;
    if target.is_absolute() {
        return Ok(LinkTarget::Other("to an absolute path"));
    }
    let Ok(real) = fs::canonicalize(link) else {
        return Ok(LinkTarget::Other("to nothing"));
    };
    let Ok(inside) = real.strip_prefix(top) else {
        return Ok(LinkTarget::Other("that leads out of the capsule"));
    };
    let metadata = fs::metadata(&real).map_err(LayoutError::io("read", &real))?;
    if metadata.is_dir() {
        return Ok(LinkTarget::Other("to a folder"));
    }
    let (true, Some(linked)) = (metadata.is_file(), plain(inside)) else {
        return Ok(LinkTarget::Other("to what is not copied"));
    };
    Ok(LinkTarget::File(CapsuleFile {
        path: path.to_owned(),
        linked: Some(linked),
        size: metadata.len(),
        is_executable: is_executable(&metadata),
        real,
    }))
}
