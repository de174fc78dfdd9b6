//! Errors of opening or staging a study.

use std::io;
use std::path::{Path, PathBuf};

/// A study that cannot be used; every sentence names the file and the way out.
#[derive(Debug, thiserror::Error)]
pub enum StudyError {
    #[error(
        "{} holds no study: expected `input/` or `initial_details.txt`, `original_paper.pdf` and \
         `replication_data/` in it",
        .0.display()
    )]
    NoStudy(PathBuf),
    #[error("{} is missing: {way_out}", file.display())]
    Missing { file: PathBuf, way_out: &'static str },
    #[error("{} does not give a claim: {problem}", file.display())]
    BadClaim { file: PathBuf, problem: String },
    #[error("{} is not a PDF: {found}; put the paper there", file.display())]
    NotAPdf { file: PathBuf, found: String },
    #[error("{} has {size} bytes, more than the {cap} that are read", file.display())]
    TooLarge { file: PathBuf, size: u64, cap: u64 },
    #[error("{} holds no file: put the study's data there", .0.display())]
    NoFiles(PathBuf),
    #[error(
        "{} holds more than {cap} files: keep the ones that the analysis reads, or pack them",
        folder.display()
    )]
    TooManyFiles { folder: PathBuf, cap: usize },
    #[error("{} holds more than {cap} bytes: keep the files that the analysis reads", folder.display())]
    TooMuchData { folder: PathBuf, cap: u64 },
    #[error(
        "{} is a link that leads out of the study, to references or nowhere: replace it with the file it means",
        .0.display()
    )]
    BadLink(PathBuf),
    #[error("{} is neither a file nor a folder: remove it from the study", .0.display())]
    SpecialFile(PathBuf),
    #[error("{} has a name that is not plain UTF-8 text: rename it", .0.display())]
    BadName(PathBuf),
    #[error("{} nests folders too deeply: flatten it", .0.display())]
    TooDeep(PathBuf),
    #[error("{}, line {line}: {problem}", file.display())]
    BadManifest {
        file: PathBuf,
        line: usize,
        problem: String,
    },
    #[error("no data file of {} can be read, so its analysis cannot run: {problems}", study.display())]
    NoUsableData { study: PathBuf, problems: String },
    #[error(
        "{} is an archive that holds `{entry}`, which no agent may see: pack it again without that, or lay what the \
         analysis reads beside it and remove it",
        file.display()
    )]
    ReferenceInArchive { file: PathBuf, entry: String },
    #[error("the workspace {} is not empty: stage into a new folder", .0.display())]
    WorkspaceNotEmpty(PathBuf),
    #[error("the workspace {} lies in the study, which is never written: choose another folder", .0.display())]
    WorkspaceInStudy(PathBuf),
    #[error("{} changed while it was copied: leave the study alone and stage again", .0.display())]
    Changed(PathBuf),
    #[error("cannot {action} {}: {source}", file.display())]
    Io {
        action: &'static str,
        file: PathBuf,
        source: io::Error,
    },
}

impl StudyError {
    /// Wraps an IO error of doing `action` to `file`.
    pub(super) fn io(action: &'static str, file: &Path) -> impl FnOnce(io::Error) -> Self {
        let file = file.to_owned();
        move |source| Self::Io { action, file, source }
    }
}
