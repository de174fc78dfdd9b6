//! The attempt that a recording beside a task file of notebooks is of.

use std::path::Path;

use crate::app::program::Program;
use crate::cli::exit::{Failure, Status};
use crate::cli::task_file_place::TaskFilePlace;
use crate::engine::request::{LostSession, NotebookRequest};
use crate::notebook::limits::NotebookLimits;
use crate::notebook::task_file::NotebookTaskFile;
use crate::notebook::terms::{Cleaning, RepositoryState};

use super::agent;
use super::prepare::mirror_of;

/// The name of a task file that stands beside its mirrors and recordings.
pub const FILE: &str = "tasks.jsonl";

/// The attempt that a recording of a folder with a task file is of; `None` of another folder.
///
/// # Errors
/// A task file that cannot be read, a recording that is named after no task, or a mirror that is not
/// there.
pub fn of_recording(
    program: &Program,
    folder: &Path,
    name: &str,
) -> Result<Option<NotebookRequest>, Failure> {
    let path = folder.join(FILE);
    if !path.is_file() {
        return Ok(None);
    }
    let invalid = |why: String| Failure::new(Status::StudyInvalid, why);
    let file = NotebookTaskFile::open(&path).map_err(|error| invalid(error.to_string()))?;
    let of_agent = || {
        let (task, agent) = name.rsplit_once('.')?;
        Some((file.get(task)?, Some(agent)))
    };
    let found = file.get(name).map(|task| (task, None)).or_else(of_agent);
    let (task, agent) = found.ok_or_else(|| {
        invalid(format!(
            "{}: the recording {name} is named after no task of the file, and after no task and an agent",
            path.display()
        ))
    })?;
    let agent = agent
        .map(|agent| agent::named(program, agent, None))
        .transpose()?;
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
        agent,
    }))
}
