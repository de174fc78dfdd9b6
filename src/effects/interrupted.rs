//! An execution that was cut short leaves no trace but its event.

use std::fs;

use crate::domain::workspace_path::WorkspacePath;
use crate::engine::error::EngineError;
use crate::engine::session::Session;
use crate::run::event::{Event, Snapshot};
use crate::tools::workspace::Workspace;

use super::analyse::workspace_files;
use super::context::Effects;

/// Sweeps what the execution left running, puts the writable folder back as it
/// was before it, and journals the interruption. The standing approval stays.
///
/// # Errors
/// Containers that cannot be removed, a list of files that the store lacks, a folder that cannot be put
/// back, or a journal that cannot be written.
pub async fn close(effects: &mut Effects, session: &mut Session) -> Result<(), EngineError> {
    let Some(open) = session
        .state
        .executions
        .open()
        .map(|execution| execution.started.clone())
    else {
        return Ok(());
    };
    if let Some(sandbox) = &effects.ports.sandbox {
        sandbox.sweep(&session.folder.owner(&effects.request.run)).await?;
    }
    let before: Snapshot = serde_json::from_slice(&session.load(&open.before)?).map_err(|error| {
        EngineError::Unusable(format!("the file list of {} cannot be read: {error}", open.id))
    })?;
    let root = session.folder.workspace();
    let workspace = Workspace::open(&root).map_err(|error| EngineError::io(&root, error))?;
    for file in workspace_files::restore(&root, WorkspacePath::WORK, &before)? {
        match session.store.get(&file.digest) {
            Ok(bytes) => workspace
                .replace(&file.path, &bytes)
                .map_err(|error| EngineError::io(&file.path.below(&root), error))?,
            Err(_) => session.line(&format!(
                "{}: the interrupted execution changed it, and its former content was too large to be kept.",
                file.path
            )),
        }
    }
    let streams = session.folder.streams();
    match fs::remove_dir_all(&streams) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(EngineError::io(&streams, error));
        }
        _ => {}
    }
    session.record(Event::ExecutionInterrupted { id: open.id })
}
