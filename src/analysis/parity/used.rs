//! The sources of a run's numbers: the executions that printed them, and the data files that these
//! opened.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::domain::digest::Digest;
use crate::domain::ids::ExecutionId;
use crate::domain::plan::Interpreter;
use crate::domain::workspace_path::WorkspacePath;
use crate::run::event::{BuildResult, Change, ExecutionFinished};
use crate::run::execution_state::ExecutionState;
use crate::run::state::State;
use crate::study::kind::Kind;
use crate::study::manifest::CodeTable;

/// A script that ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Script {
    pub execution: ExecutionId,
    pub path: WorkspacePath,
    /// Such as `R` or `Python`, else the program.
    pub interpreter: String,
    /// Such as `4.2.2`, where the environment tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

/// A data file that was opened.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct DataFile {
    pub path: WorkspacePath,
    /// Of its content; `None` where the run does not hold it.
    pub digest: Option<Digest>,
    /// Whether the agent wrote it, so that it is no file of the study.
    pub agents: bool,
}

/// The executions behind a run's numbers, with what they opened.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Used {
    pub scripts: Vec<Script>,
    /// In path order.
    pub data: Vec<DataFile>,
    /// Other files that were opened, such as code and intermediate results.
    pub others: Vec<WorkspacePath>,
    /// Whether the record of every one of these executions is without gaps.
    pub complete: bool,
}

impl Used {
    /// Follows the numbers back. `printed` are the executions that printed a
    /// reported number; without any, the last successful execution is meant.
    /// With an execution come the others of its call, and whichever wrote a
    /// file that it opened.
    pub fn trace(state: &State, printed: &BTreeSet<ExecutionId>) -> Self {
        let succeeded: Vec<(&ExecutionState, &ExecutionFinished)> = state
            .executions
            .iter()
            .filter_map(|one| Some((one, one.finished.as_ref().filter(|end| end.ending.ok())?)))
            .collect();
        let mut behind: BTreeSet<usize> = (0..succeeded.len())
            .filter(|at| printed.contains(&succeeded[*at].0.started.id))
            .collect();
        if behind.is_empty() {
            behind.extend(succeeded.len().checked_sub(1));
        }
        let mut open: Vec<usize> = behind.iter().copied().collect();
        while let Some(at) = open.pop() {
            let (execution, finished) = succeeded[at];
            let call =
                (0..succeeded.len()).filter(|other| succeeded[*other].0.started.at == execution.started.at);
            let writers = finished.opened.files.iter().filter_map(|path| {
                (0..at).rev().find(|earlier| {
                    let outputs = &succeeded[*earlier].1.outputs;
                    outputs.iter().any(|file| file.path == *path)
                })
            });
            let found: Vec<usize> = call
                .chain(writers)
                .filter(|other| !behind.contains(other))
                .collect();
            behind.extend(&found);
            open.extend(found);
        }
        let behind: Vec<_> = behind.into_iter().map(|at| succeeded[at]).collect();
        let (data, others) = opened(state, &behind);
        Self {
            scripts: behind
                .iter()
                .map(|(one, _)| Script::from_execution(state, one))
                .collect(),
            data,
            others,
            complete: !behind.is_empty() && behind.iter().all(|(_, finished)| finished.opened.complete),
        }
    }
}

fn opened(
    state: &State,
    behind: &[(&ExecutionState, &ExecutionFinished)],
) -> (Vec<DataFile>, Vec<WorkspacePath>) {
    let staged: BTreeMap<&WorkspacePath, Digest> = state
        .started
        .iter()
        .flat_map(|started| &started.data)
        .map(|file| (&file.path, file.digest))
        .collect();
    let written = written(state);
    let outputs: BTreeSet<&WorkspacePath> = behind
        .iter()
        .flat_map(|(_, finished)| &finished.outputs)
        .map(|file| &file.path)
        .collect();
    let files: BTreeSet<&WorkspacePath> = behind
        .iter()
        .flat_map(|(_, finished)| &finished.opened.files)
        .collect();
    let (mut data, mut others) = (Vec::new(), Vec::new());
    for path in files {
        let agents = written.get(path).filter(|_| {
            !outputs.contains(path) && Kind::from_path(path, &CodeTable::default()) == Kind::Data
        });
        if path.starts_with(WorkspacePath::DATA) {
            data.push(DataFile {
                path: path.clone(),
                digest: staged.get(path).copied(),
                agents: false,
            });
        } else if let Some(change) = agents {
            data.push(DataFile {
                path: path.clone(),
                digest: Some(change.after.digest()),
                agents: true,
            });
        } else {
            others.push(path.clone());
        }
    }
    (data, others)
}

/// The files that the agent wrote, each with its last change.
fn written(state: &State) -> BTreeMap<&WorkspacePath, &Change> {
    let turns = state.stages.values().flat_map(|stage| &stage.turns);
    turns
        .flat_map(|turn| turn.results.values())
        .filter_map(|call| call.change.as_ref())
        .map(|change| (&change.path, change))
        .collect()
}

impl Script {
    fn from_execution(state: &State, execution: &ExecutionState) -> Self {
        let started = &execution.started;
        let program = started.command.first().map_or("", String::as_str);
        let runs = |one: &Interpreter| one.command("", &[]).first().is_some_and(|word| word == program);
        let interpreter = Interpreter::from_path(&started.path).ok().filter(runs);
        let versions = state.build_of(started.at).and_then(|build| match &build.result {
            BuildResult::Ready(environment) => Some(&environment.versions),
            BuildResult::Failed(_) => None,
        });
        let version = versions.and_then(|versions| {
            versions.get(match interpreter? {
                Interpreter::Python => "python",
                Interpreter::R | Interpreter::RMarkdown => "R",
                _ => return None,
            })
        });
        Self {
            execution: started.id,
            path: started.path.clone(),
            interpreter: interpreter.map_or_else(|| program.to_owned(), |one| one.to_string()),
            version: version.cloned(),
        }
    }
}

#[cfg(test)]
#[path = "used_tests.rs"]
mod tests;
