//! The files of a run that go into a crate.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::domain::digest::Digest;
use crate::report::export::exported_run::ExportedRun;
use crate::run::event::FileRecord;

/// The most files of a crate.
const MOST: usize = 20_000;

/// A file that is copied into a crate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CrateFile {
    /// Relative to the crate, with `/` between its parts.
    pub path: String,
    pub source: PathBuf,
    pub part: CratePart,
    pub digest: Digest,
    pub size: u64,
}

/// The part that a file has in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CratePart {
    Paper,
    Data,
    Code,
    /// What scripts may import to record their results.
    Helper,
    /// The agent's code and whatever was written besides.
    Output,
    /// The answer of a stage, or what the engine wrote of an execution.
    Answer,
    Journal,
}

impl CratePart {
    /// Whether it was there before the run.
    pub fn is_input(self) -> bool {
        matches!(self, Self::Paper | Self::Data | Self::Code | Self::Helper)
    }

    /// In a few words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Paper => "the original paper, or a text that goes with it",
            Self::Data => "data of the study as staged",
            Self::Code => "code of the study as staged",
            Self::Helper => "what scripts may import to record their results",
            Self::Output => "written in the run",
            Self::Answer => "the answer of a stage, or the engine's account of an execution",
            Self::Journal => "every event of the run, in order",
        }
    }
}

/// An error of a crate's files.
#[derive(Debug, thiserror::Error)]
pub enum ContentsError {
    #[error("{path}: {source}")]
    Io { path: PathBuf, source: io::Error },
    #[error("{path} holds more than {MOST} files: a crate of it would be of no use")]
    TooMany { path: PathBuf },
}

/// The files of a run's workspace, its answers and its journal, in order; links are left out, as
/// is the paper unless it is asked for.
///
/// # Errors
/// A file that cannot be read, or too many of them.
pub fn contents(exported: &ExportedRun<'_>, with_paper: bool) -> Result<Vec<CrateFile>, ContentsError> {
    let folder = &exported.run.folder;
    let staged = |records: &[FileRecord]| -> BTreeSet<String> {
        records.iter().map(|file| file.path.to_string()).collect()
    };
    let (data, code) = (staged(&exported.started.data), staged(&exported.started.code));
    let mut files = Vec::new();
    for path in below(&folder.workspace())? {
        let part = if data.contains(&path) {
            CratePart::Data
        } else if code.contains(&path) {
            CratePart::Code
        } else if path.starts_with("helpers/") {
            CratePart::Helper
        } else if path.contains('/') {
            CratePart::Output
        } else {
            CratePart::Paper
        };
        if part == CratePart::Paper && !with_paper || path.starts_with("logs/") {
            continue;
        }
        let source = folder.workspace().join(&path);
        files.push(file(format!("workspace/{path}"), source, part)?);
    }
    for path in below(&folder.artifacts())? {
        let source = folder.artifacts().join(&path);
        files.push(file(format!("artifacts/{path}"), source, CratePart::Answer)?);
    }
    files.push(file(
        "journal.jsonl".to_owned(),
        folder.journal(),
        CratePart::Journal,
    )?);
    Ok(files)
}

fn file(path: String, source: PathBuf, part: CratePart) -> Result<CrateFile, ContentsError> {
    let failed = |error| ContentsError::Io {
        path: source.clone(),
        source: error,
    };
    let opened = fs::File::open(&source).map_err(failed)?;
    let size = opened.metadata().map_err(failed)?.len();
    let digest = Digest::compute_reader(io::BufReader::new(opened)).map_err(failed)?;
    Ok(CrateFile {
        path,
        source,
        part,
        digest,
        size,
    })
}

/// The regular files below a folder, in order; none where there is no such folder.
fn below(root: &Path) -> Result<Vec<String>, ContentsError> {
    let mut found = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        let failed = |source| ContentsError::Io {
            path: folder.clone(),
            source,
        };
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(failed(error)),
        };
        for entry in entries {
            let entry = entry.map_err(failed)?;
            let kind = entry.file_type().map_err(failed)?;
            if kind.is_dir() {
                folders.push(entry.path());
            } else if kind.is_file() {
                let path = entry.path();
                let path = path.strip_prefix(root).unwrap_or(&path);
                found.push(path.to_string_lossy().into_owned());
            }
            if found.len() > MOST {
                return Err(ContentsError::TooMany {
                    path: root.to_owned(),
                });
            }
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_left_out() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("a/b")).unwrap();
        fs::write(folder.path().join("a/b/file"), "x").unwrap();
        fs::write(folder.path().join("z"), "x").unwrap();
        std::os::unix::fs::symlink("/etc/passwd", folder.path().join("link")).unwrap();
        std::os::unix::fs::symlink("/etc", folder.path().join("a/etc")).unwrap();
        assert_eq!(below(folder.path()).unwrap(), ["a/b/file", "z"]);
        assert!(below(&folder.path().join("gone")).unwrap().is_empty());
    }
}
