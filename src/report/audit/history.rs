//! The texts of a run in order, by the agent and by what it ran, and the files that lay there before.

use std::fs;
use std::io::Read as _;

use serde_json::Value;

use super::obstacle::Obstacle;
use super::source::ActPlace;
use crate::capsule::layout::level::Level;
use crate::domain::digest::Digest;
use crate::domain::excerpt;
use crate::engine::error::EngineError;
use crate::engine::run_reader::RunReader;
use crate::run::event::FileRecord;
use crate::run::stage_state::TurnState;

/// The largest file that is looked into, and the most of all, in bytes.
const LARGEST: u64 = 5 << 20;
const MOST: u64 = 200 << 20;
/// The tool that answers are handed in with.
const SUBMIT: &str = "submit";
/// What a shell's reply ends with.
const EXIT_STATUS: &str = "[exit status ";

/// A text of a run, in its place.
pub struct Act {
    pub at: ActPlace,
    pub by: ActBy,
    pub text: String,
}

/// The writer of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActBy {
    /// The agent's, in the arguments of a call.
    Agent,
    /// What a call or a command gave.
    Output,
}

/// A file as it lay there before anything ran.
pub struct LaidFile {
    pub path: String,
    pub text: String,
}

/// A run in the order in which it was.
pub struct History {
    pub acts: Vec<Act>,
    pub laid: Vec<LaidFile>,
    /// Commands that were executed, and those that failed.
    pub commands: usize,
    pub failed: usize,
    /// Commands of shells that failed.
    pub failures: Vec<Obstacle>,
    /// Whether programs of others are agents of it.
    pub has_programs: bool,
}

impl History {
    /// Reads a run.
    ///
    /// # Errors
    /// A stored text of the run that cannot be read.
    pub fn read(run: &RunReader) -> Result<Self, EngineError> {
        let mut history = Self {
            acts: Vec::new(),
            laid: laid(run),
            commands: 0,
            failed: 0,
            failures: Vec::new(),
            has_programs: run.state.stages.values().any(|stage| !stage.programs.is_empty()),
        };
        let track = run.state.track();
        for stage in track.stages.iter().map(|one| one.stage) {
            let Some(state) = run.state.stages.get(&stage) else {
                continue;
            };
            for (turn, state) in (1..).zip(&state.turns) {
                history.add_turn(run, ActPlace { stage, turn }, state)?;
            }
        }
        Ok(history)
    }

    fn add_turn(&mut self, run: &RunReader, at: ActPlace, turn: &TurnState) -> Result<(), EngineError> {
        for (index, call) in (0..).zip(&turn.calls) {
            if call.name == SUBMIT {
                continue;
            }
            self.add(at, ActBy::Agent, written(&call.arguments));
            let Some(result) = turn.results.get(&index) else {
                continue;
            };
            let output = run.text(&result.observation)?;
            if result.act.is_some() {
                self.count(at, &call.arguments, &output);
            }
            self.executed(run, at, index)?;
            self.add(at, ActBy::Output, output);
        }
        Ok(())
    }

    /// Adds what the commands of a call printed.
    fn executed(&mut self, run: &RunReader, at: ActPlace, index: u32) -> Result<(), EngineError> {
        let is_own = |call: crate::run::event::CallRef| {
            call.stage == at.stage && call.turn + 1 == at.turn && call.call == index
        };
        for execution in run.state.executions.iter().filter(|one| is_own(one.started.at)) {
            let Some(finished) = execution.finished.as_ref() else {
                continue;
            };
            self.commands += 1;
            self.failed += usize::from(!finished.ending.ok());
            self.add(at, ActBy::Output, run.text(&finished.stdout)?);
        }
        Ok(())
    }

    fn add(&mut self, at: ActPlace, by: ActBy, text: String) {
        self.acts.push(Act { at, by, text });
    }

    /// Counts a command of a shell by how it ended.
    fn count(&mut self, at: ActPlace, arguments: &str, output: &str) {
        let Some(status) = output
            .rsplit_once(EXIT_STATUS)
            .and_then(|(_, rest)| rest.strip_suffix(']'))
        else {
            return;
        };
        self.commands += 1;
        if status == "0" {
            return;
        }
        self.failed += 1;
        let command = written(arguments);
        let command = excerpt::start(command.trim(), 120);
        self.failures.push(Obstacle {
            at,
            what: "command",
            cause: None,
            script: None,
            detail: format!("exit status {status}: {command}"),
        });
    }
}

/// The texts among the arguments of a call, as the agent meant them.
fn written(arguments: &str) -> String {
    fn gather(value: &Value, into: &mut String) {
        match value {
            Value::String(text) => {
                into.push_str(text);
                into.push('\n');
            }
            Value::Array(items) => items.iter().for_each(|item| gather(item, into)),
            Value::Object(members) => members.values().for_each(|member| gather(member, into)),
            Value::Number(number) => into.push_str(&format!("{number}\n")),
            Value::Null | Value::Bool(_) => {}
        }
    }
    match serde_json::from_str(arguments) {
        Ok(value) => {
            let mut text = String::new();
            gather(&value, &mut text);
            text
        }
        Err(_) => arguments.to_owned(),
    }
}

/// The texts that lay there and are as they were: a capsule's own files, where its results are not
/// what is asked for, or a study's code with what lies beside it.
pub fn laid(run: &RunReader) -> Vec<LaidFile> {
    let Some(started) = &run.state.started else {
        return Vec::new();
    };
    let files: &[FileRecord] = match &started.capsule {
        Some(capsule) if capsule.level == Level::Easy => &[],
        Some(_) => &started.data,
        // A repository, as it was copied.
        None if started.notebook.is_some() => &started.data,
        None => &started.code,
    };
    let workspace = run.folder.workspace();
    let mut left = MOST;
    let mut laid = Vec::new();
    for file in files {
        if file.size > LARGEST || file.size > left {
            continue;
        }
        left -= file.size;
        let path = workspace.join(file.path.as_str());
        let is_file = path.symlink_metadata().is_ok_and(|found| found.is_file());
        let Some(bytes) = is_file
            .then(|| fs::File::open(&path).ok())
            .flatten()
            .and_then(|opened| {
                let mut bytes = Vec::new();
                opened
                    .take(LARGEST + 1)
                    .read_to_end(&mut bytes)
                    .ok()
                    .map(|_| bytes)
            })
        else {
            continue;
        };
        // What a command wrote in its place is no file that lay there.
        if Digest::compute(&bytes) != file.digest {
            continue;
        }
        if let Ok(text) = String::from_utf8(bytes) {
            laid.push(LaidFile {
                path: file.path.as_str().to_owned(),
                text,
            });
        }
    }
    laid
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_read_as_the_texts_that_they_hold() {
        assert_eq!(
            written(r#"{"path":"a.py","text":"x = 0.125\nprint(x)","n":3}"#),
            "a.py\nx = 0.125\nprint(x)\n3\n"
        );
        assert_eq!(written("not JSON 0.5"), "not JSON 0.5");
    }
}
