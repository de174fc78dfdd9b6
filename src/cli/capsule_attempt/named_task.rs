//! A task that is named on the command line.

use std::path::Path;

use crate::capsule::task_file::{CapsuleId, CapsuleTask, TaskFile};
use crate::cli::exit::Failure;

/// The task of a name in a file.
///
/// # Errors
/// A name that no task of the file has.
pub fn named_task<'a>(file: &'a TaskFile, path: &Path, name: &str) -> Result<&'a CapsuleTask, Failure> {
    let task = CapsuleId::parse(name).and_then(|id| file.get(&id));
    task.ok_or_else(|| {
        Failure::usage(format!(
            "--task {name}: {} has no task of that name; `reprise capsule list {0}` lists them",
            path.display()
        ))
    })
}
