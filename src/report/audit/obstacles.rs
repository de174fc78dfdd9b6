//! The obstacles on the way to a result.

use super::history::History;
use super::obstacle::Obstacle;
use super::source::ActPlace;
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
                cause: Some(failure.cause.name()),
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
                cause: Some(diagnosis.cause.name()),
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

fn place(at: CallRef) -> ActPlace {
    ActPlace {
        stage: at.stage,
        turn: at.turn + 1,
    }
}
