//! The folder of a run, as a verb names it.

use crate::cli::exit::Failure;
use crate::engine::folder::RunFolder;

/// The run's folder, where there is one.
///
/// # Errors
/// A path that is no folder.
pub fn folder(path: &std::path::Path) -> Result<RunFolder, Failure> {
    if !path.is_dir() {
        return Err(Failure::usage(format!(
            "{} is not a folder: name a run's folder",
            path.display()
        )));
    }
    RunFolder::at(path).map_err(|error| Failure::usage(format!("{}: {error}", path.display())))
}
