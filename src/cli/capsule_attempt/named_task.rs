//! A task as it is chosen on the command line.

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

/// The task that was named, or the only one of a file.
///
/// # Errors
/// A name that no task of the file has, or no name where it has several.
pub fn chosen<'a>(file: &'a TaskFile, path: &Path, name: Option<&str>) -> Result<&'a CapsuleTask, Failure> {
    match name {
        Some(name) => named_task(file, path, name),
        None => match file.tasks.as_slice() {
            [only] => Ok(only),
            tasks => Err(Failure::usage(format!(
                "{} has {} tasks: name one with --task, such as {}",
                path.display(),
                tasks.len(),
                tasks.first().map_or("", |task| task.id.as_str())
            ))),
        },
    }
}
