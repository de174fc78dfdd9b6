//! The time of a notebook task as its repository tells it, where an attempt is of a day.

use std::io;
use std::path::Path;

use crate::cli::exit::{Failure, Status};
use crate::cli::lock_args;
use crate::effects::notebook::mirror::Mirror;
use crate::engine::choice::lock::LockChoice;
use crate::engine::request::MirrorRequest;
use crate::environment::dated::DatedNeeds;
use crate::environment::language::Language;
use crate::notebook::task::NotebookTask;
use crate::sandbox::session::kernel;

/// The needs that a task's repository tells of, as the attempt begins with it; `None` where the attempt makes no lock
/// itself. A kernel needs a Python that its own packages are made for, whatever the day.
///
/// # Errors
/// A mirror that cannot be read, or files that tell no date where theirs was asked for.
pub fn dated(
    choice: &LockChoice,
    task: &NotebookTask,
    mirror: Option<&MirrorRequest>,
) -> Result<Option<Box<DatedNeeds>>, Failure> {
    if choice.as_of.is_none() {
        return Ok(None);
    }
    let broken = |error: io::Error| Failure::new(Status::Infrastructure, error.to_string());
    let room = tempfile::tempdir().map_err(broken)?;
    let name = task.repository.as_deref().unwrap_or(&task.id);
    let dated = match mirror {
        None => lock_args::dated(choice, room.path(), name)?,
        Some(mirror) => match &mirror.commit {
            None => lock_args::dated(choice, &mirror.folder, name)?,
            Some(commit) => {
                let clone = room.path().join("clone");
                cloned(&mirror.folder, name, commit, &clone)?;
                lock_args::dated(choice, &clone, name)?
            }
        },
    };
    let usable = |dated: Box<DatedNeeds>| {
        let why = format!(
            "a kernel's own packages need Python {} or later",
            kernel::OLDEST_PYTHON
        );
        Box::new(dated.no_older_than(Language::Python, kernel::OLDEST_PYTHON, &why))
    };
    Ok(dated.map(usable))
}

/// Clones a mirror at a commit, since the mirror may be bare or stand at another.
fn cloned(mirror: &Path, address: &str, commit: &str, to: &Path) -> Result<(), Failure> {
    let clone = Mirror::at(mirror).clone_at(address, commit, to);
    clone.map_err(|fault| Failure::new(Status::StudyInvalid, fault.to_string()))
}
