//! The place of a task file of capsules or notebooks.

use std::fs;
use std::path::{Path, PathBuf};

use super::exit::{Failure, Status};

/// A task file's folder, and its name there.
pub struct TaskFilePlace {
    pub root: PathBuf,
    pub name: String,
}

impl TaskFilePlace {
    /// The place of a task file.
    ///
    /// # Errors
    /// A file that is not there, or whose name cannot be used.
    pub fn find(file: &Path) -> Result<Self, Failure> {
        let invalid = |why: String| Failure::new(Status::StudyInvalid, why);
        let path = fs::canonicalize(file).map_err(|error| invalid(format!("{}: {error}", file.display())))?;
        match (path.parent(), path.file_name().and_then(|name| name.to_str())) {
            (Some(root), Some(name)) => Ok(Self {
                root: root.to_owned(),
                name: name.to_owned(),
            }),
            _ => Err(invalid(format!("{}: its name cannot be used", path.display()))),
        }
    }
}
