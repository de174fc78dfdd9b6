//! The obstacles on the way to a result.

use super::history::History;
use super::obstacle::{Obstacle, ScriptAuthor};
use super::source::ActPlace;
use crate::domain::workspace_path::WorkspacePath;
use crate::engine::run_reader::RunReader;
use crate::policy::diagnose::{self, PrintedText};
use crate::run::event::{BuildResult, CallRef};

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
                script: author(run, &execution.started.path),
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

/// The author of a script of a run; `None` where nobody is known to have written it.
fn author(run: &RunReader, script: &WorkspacePath) -> Option<ScriptAuthor> {
    let laid = run.state.started.as_ref();
    let is_laid = laid.is_some_and(|started| started.code.iter().any(|file| file.path == *script));
    let mut changes = run.state.stages.values().flat_map(|stage| stage.changes());
    let is_changed = changes.any(|(_, change)| change.path == *script);
    match (is_laid, is_changed) {
        (true, false) => Some(ScriptAuthor::Original),
        (true, true) => Some(ScriptAuthor::Changed),
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
