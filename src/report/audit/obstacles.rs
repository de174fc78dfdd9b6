//! The obstacles on the way to a result.

use std::collections::BTreeSet;

use super::history::History;
use super::obstacle::{Obstacle, ScriptAuthor};
use super::source::ActPlace;
use crate::engine::run_reader::RunReader;
use crate::policy::diagnose::{self, PrintedText};
use crate::run::event::{BuildResult, CallRef, ExecutionStarted, FileRecord, Snapshot};

/// What failed, in the order of builds, executions and commands of shells.
pub fn obstacles(run: &RunReader, history: &History) -> Vec<Obstacle> {
    let mut found = Vec::new();
    for build in &run.state.builds {
        if let BuildResult::Failed(failure) = &build.result {
            found.push(Obstacle {
                at: place(build.at),
                what: "build",
                cause: Some(failure.cause),
                script: None,
                detail: failure.summary.clone(),
            });
        }
    }
    for execution in run.state.executions.iter() {
        let Some(finished) = execution.finished.as_ref() else {
            continue;
        };
        let text = |content| run.text(content).unwrap_or_default();
        let (stdout, stderr) = (text(&finished.stdout), text(&finished.stderr));
        let printed = PrintedText {
            stdout: &stdout,
            stderr: &stderr,
        };
        if let Some(diagnosis) = diagnose::execution(finished.ending, printed) {
            found.push(Obstacle {
                at: place(execution.started.at),
                what: "execution",
                cause: Some(diagnosis.cause),
                script: author(run, &execution.started),
                detail: match diagnosis.key {
                    Some(key) => format!("{}: {key}", execution.started.path),
                    None => format!("{} {}", execution.started.path, finished.ending.words()),
                },
            });
        }
    }
    found.extend(history.failures.iter().cloned());
    found
}

/// The author of the code that an execution could reach, by the files as they were before it: those
/// that lay there, and those that the agent wrote; `None` where neither is told.
fn author(run: &RunReader, execution: &ExecutionStarted) -> Option<ScriptAuthor> {
    let text = run.text(&execution.before).ok()?;
    let before: Snapshot = serde_json::from_str(&text).ok()?;
    let laid = run
        .state
        .started
        .as_ref()
        .map_or(&[][..], |started| started.code.as_slice());
    let is_laid = |file: &FileRecord| {
        laid.iter()
            .any(|one| one.path == file.path && one.digest == file.digest)
    };
    let changes = run.state.stages.values().flat_map(|stage| stage.changes());
    let changed: BTreeSet<&str> = changes.map(|(_, change)| change.path.as_str()).collect();
    let is_agents = |file: &FileRecord| changed.contains(file.path.as_str()) && !is_laid(file);
    match (
        before.files.iter().any(is_laid),
        before.files.iter().any(is_agents),
    ) {
        (true, false) => Some(ScriptAuthor::Original),
        (true, true) => Some(ScriptAuthor::Both),
        (false, true) => Some(ScriptAuthor::Agent),
        (false, false) => None,
    }
}

fn place(at: CallRef) -> ActPlace {
    ActPlace {
        stage: at.stage,
        turn: at.turn + 1,
    }
}
