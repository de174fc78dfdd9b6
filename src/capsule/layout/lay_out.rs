//! Laying a capsule out for an agent of a level.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use super::decide::{FileDecision, RemovalReason, decide};
use super::error::LayoutError;
use super::laid_out::{LaidOut, LaidOutFile, LeakedCopy, RemovedFile};
use super::level::{Layout, Level};
use super::walk::{CapsuleFile, walk};
use crate::domain::digest::{Digest, RunningDigest};

/// The shortest result, in bytes, whose content tells that a file is a copy of it: shorter ones
/// (a number, an empty log) are alike by chance.
const SHORTEST_RESULT: u64 = 32;
/// The folder of the authors' results.
const RESULTS: &str = "results";

/// Removed results by size and content.
type Results = BTreeMap<(u64, Digest), String>;

/// Copies a capsule's folder into an empty folder, without what the level takes away. Executable
/// files stay so; other permissions are not carried over. The source is not written to.
///
/// # Errors
/// A source that is no folder or holds no file, a target that is not empty or overlaps with the
/// source, or what cannot be read or written; the target may then be half full.
pub fn lay_out(source: &Path, target: &Path, layout: Layout, level: Level) -> Result<LaidOut, LayoutError> {
    let (source, target) = places(source, target)?;
    let found = walk(&source)?;
    if found.files.is_empty() {
        return Err(LayoutError::NoFiles(source));
    }
    let mut laid_out = LaidOut {
        left_out: found.others,
        ..LaidOut::default()
    };
    let mut candidates = Vec::new();
    let mut results = Results::new();
    for file in &found.files {
        match decide(layout, level, &file.path) {
            FileDecision::Kept => candidates.push(file),
            FileDecision::Removed(reason) if file.linked.is_some() => {
                let reason = reason.words();
                let sentence = format!("`{}` is a symbolic link and {reason}.", file.path);
                laid_out.left_out.push(sentence);
            }
            FileDecision::Removed(reason) => {
                let digest = digest_of(&file.real)?;
                if reason == RemovalReason::Results && file.size >= SHORTEST_RESULT {
                    results
                        .entry((file.size, digest))
                        .or_insert_with(|| file.path.clone());
                }
                laid_out.removed.push(RemovedFile {
                    path: file.path.clone(),
                    reason,
                    digest,
                    size: file.size,
                });
            }
        }
    }
    let removes_results = |path: &String| {
        let decision = decide(layout, level, path);
        decision == FileDecision::Removed(RemovalReason::Results)
    };
    for file in candidates {
        let linked = file.linked.clone().filter(removes_results);
        let of = match linked {
            Some(of) => Some(of),
            None => result_in(file, &results)?,
        };
        match of {
            Some(of) => laid_out.copies.push(LeakedCopy {
                path: file.path.clone(),
                of,
            }),
            None => laid_out.kept.push(copy(file, &target)?),
        }
    }
    laid_out.left_out.sort();
    laid_out.empty_folders = empty_folders(&found.folders, &laid_out.kept, layout, level);
    for folder in &laid_out.empty_folders {
        let folder = target.join(folder);
        fs::create_dir_all(&folder).map_err(LayoutError::io("make the folder", &folder))?;
    }
    Ok(laid_out)
}

/// The two folders, links resolved.
fn places(source: &Path, target: &Path) -> Result<(PathBuf, PathBuf), LayoutError> {
    let source = fs::canonicalize(source)
        .ok()
        .filter(|real| real.is_dir())
        .ok_or_else(|| LayoutError::NoCapsule(source.to_owned()))?;
    let target = fs::canonicalize(target).map_err(LayoutError::io("find", target))?;
    if target.starts_with(&source) || source.starts_with(&target) {
        return Err(LayoutError::Overlap {
            capsule: source,
            target,
        });
    }
    let mut entries = fs::read_dir(&target).map_err(LayoutError::io("read the folder", &target))?;
    match entries.next() {
        None => Ok((source, target)),
        Some(_) => Err(LayoutError::NotEmpty(target)),
    }
}

fn digest_of(file: &Path) -> Result<Digest, LayoutError> {
    let opened = File::open(file).map_err(LayoutError::io("read", file))?;
    Digest::compute_reader(opened).map_err(LayoutError::io("read", file))
}

/// The removed result whose content a file has.
fn result_in(file: &CapsuleFile, results: &Results) -> Result<Option<String>, LayoutError> {
    if !results.keys().any(|(size, _)| *size == file.size) {
        return Ok(None);
    }
    Ok(results.get(&(file.size, digest_of(&file.real)?)).cloned())
}

/// Copies one file; the digest is of what was written.
fn copy(file: &CapsuleFile, target: &Path) -> Result<LaidOutFile, LayoutError> {
    let path = target.join(&file.path);
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(LayoutError::io("make the folder", folder))?;
    }
    let mut from = File::open(&file.real).map_err(LayoutError::io("read", &file.real))?;
    let mut to = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&path)
        .map_err(LayoutError::io("write", &path))?;
    let mut digest = RunningDigest::default();
    let mut buffer = vec![0_u8; 1 << 16];
    let mut size = 0_u64;
    loop {
        let read = from
            .read(&mut buffer)
            .map_err(LayoutError::io("read", &file.real))?;
        if read == 0 {
            break;
        }
        size += read as u64;
        if size > file.size {
            break;
        }
        digest.add(&buffer[..read]);
        to.write_all(&buffer[..read])
            .map_err(LayoutError::io("write", &path))?;
    }
    if size != file.size {
        return Err(LayoutError::Changed(file.real.clone()));
    }
    let mode = if file.is_executable { 0o755 } else { 0o644 };
    to.set_permissions(Permissions::from_mode(mode))
        .map_err(LayoutError::io("set the permissions of", &path))?;
    Ok(LaidOutFile {
        path: file.path.clone(),
        digest: digest.digest(),
        size,
    })
}

/// The folders that are made without a file in them. CORE-Bench copies folders as such and makes
/// `results` again where it takes it away; the others do less.
fn empty_folders(folders: &[String], kept: &[LaidOutFile], layout: Layout, level: Level) -> Vec<String> {
    if layout.copies_files_alone() {
        return Vec::new();
    }
    // A folder is taken away where any file in it would be.
    let stays = |folder: &&String| decide(layout, level, &format!("{folder}/_")) == FileDecision::Kept;
    let mut made: BTreeSet<String> = folders.iter().filter(stays).cloned().collect();
    if layout == Layout::Original && level != Level::Easy {
        made.insert(RESULTS.to_owned());
    }
    let mut paths = made.clone();
    paths.extend(kept.iter().map(|file| file.path.clone()));
    let is_empty = |folder: &String| {
        let below = format!("{folder}/");
        let next = paths.range(below.clone()..).next();
        !next.is_some_and(|path| path.starts_with(&below))
    };
    made.into_iter().filter(is_empty).collect()
}

#[cfg(test)]
#[path = "lay_out_tests.rs"]
mod tests;
