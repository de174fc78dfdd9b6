//! Building an agent's workspace as a copy of a study.

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Read as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::archives::look::{ArchiveFinding, ArchiveSearch};
use super::error::StudyError;
use super::kind::Kind;
use super::layout::{DATA, DETAILS, PAPER};
use super::open::{Study, digest_of};
use crate::domain::digest::Digest;
use crate::domain::mode::CodeAccess;
use crate::domain::workspace_path::WorkspacePath;

/// A workspace as it was built.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Staged {
    /// Every file, in path order.
    pub files: Vec<StagedFile>,
    /// Digest of the data tree: paths, sizes and contents.
    pub data: Digest,
    /// The copies of the study's code below `work/`, in path order.
    pub code: Vec<WorkspacePath>,
    /// What stayed behind, in path order.
    pub left_out: Vec<LeftOut>,
}

/// One file of a workspace.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct StagedFile {
    pub path: WorkspacePath,
    /// Bytes.
    pub size: u64,
    pub digest: Digest,
}

/// One file of the study that the workspace does not have.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LeftOut {
    /// As it would have been named in the workspace.
    pub path: WorkspacePath,
    /// A clause, such as "is hidden".
    pub reason: String,
}

/// Copies a study into an empty or missing folder.
///
/// Data, documents, paper and claim are made read-only; code goes to `work/`
/// with its relative paths, and nowhere when access is data-only. Git LFS
/// pointers, whatever equals a reference and archives that cannot be listed stay behind.
///
/// # Errors
/// An archive that holds a reference, a workspace that is not empty, lies in the study or cannot be written, or an input that cannot be
/// read or changed while it was copied.
pub fn stage(study: &Study, workspace: &Path, access: CodeAccess) -> Result<Staged, StudyError> {
    let workspace = prepare(study, workspace)?;
    let references = reference_digests(study)?;
    let mut staged = Vec::new();
    let mut left_out = Vec::new();
    let mut code = Vec::new();
    let mut archives = ArchiveSearch::default();
    for (source, name) in [(&study.paper, PAPER), (&study.details, DETAILS)] {
        let path = inside(name)?;
        staged.push(copy(source, &workspace, path, None, true)?);
    }
    for file in &study.files {
        let is_code = file.kind == Kind::Code;
        let folder = if is_code { WorkspacePath::WORK } else { DATA };
        let path = inside(&format!("{folder}/{}", file.path))?;
        let mut leave = |reason: String| {
            left_out.push(LeftOut {
                path: path.clone(),
                reason,
            });
        };
        if is_code && access == CodeAccess::DataOnly {
            leave("is code, and this run has data only".to_owned());
            continue;
        }
        if let Some(damage) = file.damage.as_ref().filter(|_| file.is_pointer()) {
            leave(damage.words());
            continue;
        }
        if file.size > 0 && references.contains(&(file.size, digest_of(&file.real)?)) {
            leave("has the content of a reference".to_owned());
            continue;
        }
        match archives.look(&file.real)? {
            ArchiveFinding::Clear => {}
            ArchiveFinding::Reference(entry) => {
                return Err(StudyError::ReferenceInArchive {
                    file: file.real.clone(),
                    entry,
                });
            }
            ArchiveFinding::Unseen(why) => {
                leave(unseen(&why));
                continue;
            }
        }
        if is_code {
            code.push(path.clone());
        }
        staged.push(copy(&file.real, &workspace, path, Some(file.size), !is_code)?);
    }
    for (paths, reason) in [
        (&study.hidden, "is hidden"),
        (&study.misplaced, "has the name of a reference"),
    ] {
        for path in paths {
            left_out.push(LeftOut {
                path: inside(&format!("{DATA}/{path}"))?,
                reason: reason.to_owned(),
            });
        }
    }
    staged.sort();
    left_out.sort();
    code.sort();
    let tree: Vec<&StagedFile> = staged.iter().filter(|file| file.path.starts_with(DATA)).collect();
    Ok(Staged {
        data: Digest::compute_json(&tree),
        files: staged,
        code,
        left_out,
    })
}

/// A clause about an archive in which references could stand unseen.
pub(super) fn unseen(why: &str) -> String {
    format!(
        "cannot be looked into for references, since {why}: lay what the analysis reads beside it, unpacked, and \
         remove it"
    )
}

/// Makes the empty folders of a workspace; returns its canonical path.
fn prepare(study: &Study, workspace: &Path) -> Result<PathBuf, StudyError> {
    // The place is checked before anything is made, so that nothing is made in the study.
    let mut existing = std::path::absolute(workspace).map_err(StudyError::io("find", workspace))?;
    while !existing.exists() && existing.pop() {}
    let real = fs::canonicalize(&existing).map_err(StudyError::io("find", workspace))?;
    if real.starts_with(&study.root) {
        return Err(StudyError::WorkspaceInStudy(workspace.to_owned()));
    }
    fs::create_dir_all(workspace).map_err(StudyError::io("make the folder", workspace))?;
    let workspace = fs::canonicalize(workspace).map_err(StudyError::io("find", workspace))?;
    if workspace.starts_with(&study.root) {
        return Err(StudyError::WorkspaceInStudy(workspace));
    }
    let mut entries = fs::read_dir(&workspace).map_err(StudyError::io("read the folder", &workspace))?;
    if entries.next().is_some() {
        return Err(StudyError::WorkspaceNotEmpty(workspace));
    }
    for name in [DATA, WorkspacePath::WORK, "logs"] {
        let folder = workspace.join(name);
        fs::create_dir(&folder).map_err(StudyError::io("make the folder", &folder))?;
    }
    Ok(workspace)
}

fn reference_digests(study: &Study) -> Result<HashSet<(u64, Digest)>, StudyError> {
    study
        .reference_files()?
        .iter()
        .map(|file| {
            let size = fs::metadata(file).map_err(StudyError::io("read", file))?.len();
            Ok((size, digest_of(file)?))
        })
        .collect()
}

fn inside(path: &str) -> Result<WorkspacePath, StudyError> {
    path.parse().map_err(|_| StudyError::BadName(PathBuf::from(path)))
}

/// Copies one file, sharing blocks where the file system can, and digests the
/// copy, so that the digest is of what the agent gets.
fn copy(
    source: &Path,
    workspace: &Path,
    path: WorkspacePath,
    expected: Option<u64>,
    read_only: bool,
) -> Result<StagedFile, StudyError> {
    let target = path.below(workspace);
    if let Some(folder) = target.parent() {
        fs::create_dir_all(folder).map_err(StudyError::io("make the folder", folder))?;
    }
    let opened = File::open(source).map_err(StudyError::io("read", source))?;
    let length = opened.metadata().map_err(StudyError::io("read", source))?.len();
    let mut created = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&target)
        .map_err(StudyError::io("write", &target))?;
    let copied =
        io::copy(&mut opened.take(length), &mut created).map_err(StudyError::io("write", &target))?;
    if copied != expected.unwrap_or(length) {
        return Err(StudyError::Changed(source.to_owned()));
    }
    drop(created);
    let mode = if read_only { 0o444 } else { 0o644 };
    fs::set_permissions(&target, Permissions::from_mode(mode)).map_err(StudyError::io("protect", &target))?;
    Ok(StagedFile {
        digest: digest_of(&target)?,
        path,
        size: copied,
    })
}
