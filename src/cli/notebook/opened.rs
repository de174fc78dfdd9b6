//! Task files that a verb of `reprise notebook` reads.

use std::path::{Path, PathBuf};

use crate::cli::exit::Failure;
use crate::notebook::task::NotebookTask;
use crate::notebook::task_fault::NotebookTaskFault;
use crate::notebook::task_file::NotebookTaskFile;
use crate::scoring::notebook::gold_faults::gold_faults;

/// A task file that was read.
pub(super) struct OpenedFile {
    pub path: PathBuf,
    pub file: NotebookTaskFile,
}

/// Reads task files.
///
/// # Errors
/// A file that is no task file.
pub(super) fn opened(paths: &[PathBuf]) -> Result<Vec<OpenedFile>, Failure> {
    paths.iter().map(|path| open(path)).collect()
}

fn open(path: &Path) -> Result<OpenedFile, Failure> {
    Ok(OpenedFile {
        path: path.to_owned(),
        file: NotebookTaskFile::open(path).map_err(|error| Failure::usage(error.to_string()))?,
    })
}

/// All faults of a task: those of its record, then those of its gold.
pub(super) fn faults(task: &NotebookTask) -> Vec<NotebookTaskFault> {
    let mut faults = task.faults.clone();
    faults.extend(gold_faults(&task.gold));
    faults
}
