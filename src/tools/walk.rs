//! Going through the folders of a workspace, in order and within bounds.

use crate::domain::workspace_path::WorkspacePath;

use super::workspace::{CannotRead, Workspace};

/// Most entries that one walk looks at.
pub const MOST: usize = 20_000;

/// The kind of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    Folder,
    /// A file and its size in bytes.
    File(u64),
    Link,
    /// A pipe, a socket or a device.
    Other,
}

/// One entry of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub path: WorkspacePath,
    pub kind: EntryKind,
    /// Folders between the entry and where the walk began.
    pub depth: usize,
}

/// The entries of a walk.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Walk {
    /// Each folder right before what is in it, names in byte order.
    pub entries: Vec<Entry>,
    /// Whether there was more than [`MOST`].
    pub incomplete: bool,
}

/// Walks `folder` down to `depth` levels of folders. Links are not followed.
///
/// # Errors
/// A folder that is absent, leads out of the workspace or cannot be read.
pub fn walk(workspace: &Workspace, folder: &WorkspacePath, depth: usize) -> Result<Walk, CannotRead> {
    let mut walk = Walk::default();
    let mut budget = MOST;
    let mut stack = children(workspace, folder, 0, &mut budget, &mut walk.incomplete)?;
    while let Some(entry) = stack.pop() {
        let below = (entry.kind == EntryKind::Folder && entry.depth + 1 < depth).then(|| entry.path.clone());
        let level = entry.depth + 1;
        walk.entries.push(entry);
        if let Some(path) = below
            && let Ok(inner) = children(workspace, &path, level, &mut budget, &mut walk.incomplete)
        {
            stack.extend(inner);
        }
    }
    Ok(walk)
}

/// The entries of one folder, last name first.
fn children(
    workspace: &Workspace,
    folder: &WorkspacePath,
    depth: usize,
    budget: &mut usize,
    incomplete: &mut bool,
) -> Result<Vec<Entry>, CannotRead> {
    let name = if folder.as_str().is_empty() {
        "."
    } else {
        folder.as_str()
    };
    let listing = workspace
        .dir()
        .read_dir(name)
        .map_err(|error| CannotRead::new(folder, &error))?;
    let mut found = Vec::new();
    for entry in listing {
        if *budget == 0 {
            *incomplete = true;
            break;
        }
        *budget -= 1;
        let Ok(entry) = entry else { continue };
        let Some(path) = entry
            .file_name()
            .to_str()
            .and_then(|file| format!("{folder}/{file}").parse().ok())
        else {
            continue;
        };
        let kind = match entry.file_type() {
            Ok(kind) if kind.is_dir() => EntryKind::Folder,
            Ok(kind) if kind.is_symlink() => EntryKind::Link,
            Ok(kind) if kind.is_file() => EntryKind::File(entry.metadata().map_or(0, |found| found.len())),
            _ => EntryKind::Other,
        };
        found.push(Entry { path, kind, depth });
    }
    found.sort_by(|one, other| other.path.cmp(&one.path));
    Ok(found)
}
