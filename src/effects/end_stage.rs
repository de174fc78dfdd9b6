//! The end of a stage: its event, then its files, which the event can restore.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::domain::stage::Stage;
use crate::engine::atomic_file;
use crate::engine::error::EngineError;
use crate::engine::session::Session;
use crate::run::event::{BuildResult, Event, StageEnd};

/// The file with the engine's own account of the last execution.
pub const EXECUTION_RESULT: &str = "execution_result.json";

/// Ends a stage with its answer.
///
/// # Errors
/// An answer that cannot be kept, or a journal or artifact that cannot be written.
pub fn finish(
    session: &mut Session,
    stage: Stage,
    answer: &Value,
    deviations: Vec<String>,
) -> Result<(), EngineError> {
    let artifact = session.keep(&pretty(answer)?)?;
    end(session, stage, StageEnd::Finished { artifact, deviations })
}

/// Ends a stage, and writes what it leaves.
///
/// # Errors
/// A journal or an artifact that cannot be written.
pub fn end(session: &mut Session, stage: Stage, end: StageEnd) -> Result<(), EngineError> {
    session.record(Event::StageEnded { stage, end })?;
    materialise(session)
}

/// Writes every artifact that the journal holds and the disk lacks.
///
/// # Errors
/// An artifact that the store lacks or that cannot be written.
pub fn materialise(session: &Session) -> Result<(), EngineError> {
    let artifacts = session.folder.artifacts();
    fs::create_dir_all(&artifacts).map_err(|error| EngineError::io(&artifacts, error))?;
    for (stage, state) in &session.state.stages {
        if let Some(artifact) = state.artifact() {
            let bytes = session.load(artifact)?;
            let Some(name) = session.state.track().artifact(*stage) else {
                continue;
            };
            settle(session, &artifacts.join(name), &bytes)?;
            // The agent may mend its copy of the plan while it executes.
            let copy = session.folder.workspace().join(name);
            if !copy.exists() {
                settle(session, &copy, &bytes)?;
            }
        }
        let over = state.end.is_some() || session.state.halted.is_some();
        if state.executes() && over {
            settle(
                session,
                &artifacts.join(EXECUTION_RESULT),
                &pretty(&raw_result(session)?)?,
            )?;
        }
    }
    Ok(())
}

/// The engine's own account of the last execution, in the shape of
/// ReplicatorBench's `execution_result.json`.
///
/// # Errors
/// Output that the store lacks or holds damaged.
pub fn raw_result(session: &Session) -> Result<Value, EngineError> {
    let state = &session.state;
    let prepared = state.builds.last().map(|build| match &build.result {
        BuildResult::Ready(_) => json!({ "name": "prepare-env", "ok": true }),
        BuildResult::Failed(failure) => {
            json!({ "name": "prepare-env", "ok": false, "error": failure.summary })
        }
    });
    let mut steps: Vec<Value> = prepared.into_iter().collect();
    let last = state
        .executions
        .iter()
        .rev()
        .find(|one| one.finished.is_some())
        .map(|one| one.started.at);
    for execution in state.executions.iter().filter(|one| Some(one.started.at) == last) {
        let Some(finished) = &execution.finished else {
            continue;
        };
        let exit_code = match finished.ending {
            crate::domain::execution::Ending::Exited(code) => Some(code),
            _ => None,
        };
        steps.push(json!({
            "name": "run-analysis",
            "ok": finished.ending.ok(),
            "exit_code": exit_code,
            "ending": finished.ending,
            "stdout": session.text(&finished.stdout)?,
            "stderr": session.text(&finished.stderr)?,
            "artifacts": finished.outputs.iter().map(|file| file.path.as_str()).collect::<Vec<_>>(),
            "entry": execution.started.path,
            "resolved_path": format!("{}/{}", crate::sandbox::contract::INSIDE, execution.started.path),
        }));
    }
    let ok = steps.len() > 1 && steps.iter().all(|step| step["ok"] == true);
    let plan_id = state
        .started
        .as_ref()
        .map(|started| started.study.clone())
        .unwrap_or_default();
    Ok(json!({ "plan_id": plan_id, "steps": steps, "ok": ok }))
}

fn pretty(value: &Value) -> Result<Vec<u8>, EngineError> {
    let mut bytes = serde_json::to_vec_pretty(value)
        .map_err(|error| EngineError::Unusable(format!("an artifact cannot be written: {error}")))?;
    bytes.push(b'\n');
    Ok(bytes)
}

/// Writes a file whole or not at all; one that is right already stays.
fn settle(session: &Session, path: &Path, bytes: &[u8]) -> Result<(), EngineError> {
    if fs::read(path).is_ok_and(|found| found == bytes) {
        return Ok(());
    }
    atomic_file::replace(path, bytes, &session.folder.partial())
}
