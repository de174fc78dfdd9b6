//! The attempt that a recording beside a task file of notebooks is of.

use std::path::Path;

use crate::cli::exit::{Failure, Status};
use crate::cli::task_file_place::TaskFilePlace;
use crate::engine::request::{LostSession, NotebookRequest};
use crate::notebook::limits::NotebookLimits;
use crate::notebook::task_file::NotebookTaskFile;
use crate::notebook::terms::{Cleaning, RepositoryState};

use super::prepare::mirror_of;

/// The name of a task file that stands beside its mirrors and recordings.
pub const FILE: &str = "tasks.jsonl";

/// The attempt that a recording of a folder with a task file is of; `None` of another folder.
///
/// # Errors
/// A task file that cannot be read, a recording that is named after no task, or a mirror that is not
/// there.
pub fn of_recording(folder: &Path, name: &str) -> Result<Option<NotebookRequest>, Failure> {
    let path = folder.join(FILE);
    if !path.is_file() {
        return Ok(None);
    }
    let invalid = |why: String| Failure::new(Status::StudyInvalid, why);
    let file = NotebookTaskFile::open(&path).map_err(|error| invalid(error.to_string()))?;
    let task = file.get(name).ok_or_else(|| {
        invalid(format!(
            "{}: the recording {name} is named after no task of the file",
            path.display()
        ))
    })?;
    let place = TaskFilePlace::find(&path)?;
    Ok(Some(NotebookRequest {
        tasks: place.name.clone(),
        id: task.id.clone(),
        mirror: mirror_of(task, &place, None, RepositoryState::default())?,
        hosts: Vec::new(),
        packages: Vec::new(),
        system: Vec::new(),
        limits: NotebookLimits::published(task.set),
        cleaning: Cleaning::default(),
        lost_session: LostSession::default(),
    }))
}
