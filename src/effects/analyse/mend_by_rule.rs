//! The mend of a failed script that the engine makes itself, where the run's settings allow it.

use crate::domain::digest::Digest;
use crate::domain::workspace_path::WorkspacePath;
use crate::engine::error::EngineError;
use crate::engine::session::Session;
use crate::run::event::CallRef;
use crate::tools::contract::FileChange;

/// The change that the proposed mends come to, of those of a call's script that change no result; `None`
/// where nothing failed for a known reason, or the script has been mended since.
///
/// # Errors
/// A script that cannot be read, or a mended text that the store lacks.
pub fn due(session: &Session, at: CallRef) -> Result<Option<FileChange>, EngineError> {
    let of_call = |execution: &&crate::run::execution_state::ExecutionState| execution.started.at == at;
    let Some(last) = session.state.executions.iter().rev().find(of_call) else {
        return Ok(None);
    };
    let rescue = last.finished.as_ref().and_then(|ended| ended.rescue.as_ref());
    let path = &last.started.path;
    let Some(proposed) = rescue.and_then(|found| found.proposed.as_ref()) else {
        return Ok(None);
    };
    if !path.starts_with(WorkspacePath::WORK) {
        return Ok(None);
    }
    let on_disk = path.below(&session.folder.workspace());
    let before = std::fs::read(&on_disk).map_err(|error| EngineError::io(&on_disk, error))?;
    let before = Digest::compute(&before);
    if before == proposed.mended {
        return Ok(None);
    }
    Ok(Some(FileChange {
        path: path.clone(),
        before: Some(before),
        after: session.store.get(&proposed.mended)?,
        diff: session.text(&proposed.diff)?,
    }))
}
