//! The command line of an entry, and where it starts.

use crate::domain::plan::EntryPoint;
use crate::domain::r_defaults::RDefaults;
use crate::domain::workspace_path::WorkspacePath;
use crate::engine::error::EngineError;

/// The folder that commands start in and the only one they may write.
///
/// # Errors
/// Never, as long as the folder's name is one of a workspace.
pub fn work() -> Result<WorkspacePath, EngineError> {
    WorkspacePath::WORK
        .parse()
        .map_err(|error| EngineError::Unusable(format!("{error}")))
}

/// The script of an entry, as seen from the work folder.
pub fn script(entry: &EntryPoint) -> String {
    let below = entry.path.as_str().strip_prefix("work/");
    below.map_or_else(|| format!("../{}", entry.path), ToOwned::to_owned)
}

/// The command line of an entry, as seen from the work folder.
pub fn command(entry: &EntryPoint, r_defaults: Option<RDefaults>) -> Vec<String> {
    let script = script(entry);
    // A script whose name begins with a dash must not be read as an option.
    let script = if script.starts_with('-') {
        format!("./{script}")
    } else {
        script
    };
    match r_defaults {
        None => entry.interpreter.command(&script, &entry.arguments),
        Some(RDefaults::Three) => entry.interpreter.command_with_profile(&script, &entry.arguments),
    }
}
