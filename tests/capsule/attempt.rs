//! An attempt at a capsule, as it stands on disk.

use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;

use crate::capsule::Level;
use crate::place::{Place, Where};

pub struct Attempt {
    pub run: PathBuf,
    pub stdout: String,
    pub stderr: String,
}

/// The call of an attempt with a recording, into a folder of the recording's name unless told otherwise.
pub fn call(place: &Place, level: Level, sandbox: Where, recording: &str, out: &str) -> Command {
    called(place, level, sandbox, &format!("scripted:{recording}"), out)
}

/// The call of an attempt with a model.
pub fn called(place: &Place, level: Level, sandbox: Where, model: &str, out: &str) -> Command {
    let mut command = place.command(&[
        "capsule",
        "run",
        "task.json",
        "--approve",
        "auto",
        "--network",
        "none",
    ]);
    command.args(["--level", level.name(), "--sandbox", sandbox.name()]);
    command.args(["--model", model, "--out", out]);
    command
}

impl Attempt {
    /// An attempt that comes to its end.
    pub fn made(place: &Place, level: Level, sandbox: Where, recording: &str) -> Self {
        let output = call(place, level, sandbox, recording, recording)
            .output()
            .unwrap();
        Self::of(place, recording, &output)
    }

    /// What a call has left, which came to its end.
    pub fn of(place: &Place, out: &str, output: &Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
        assert!(
            output.status.success(),
            "{out}: {}\n{stdout}\n{stderr}",
            output.status
        );
        let run = place.path().join(out);
        Self { run, stdout, stderr }
    }

    pub fn journal(&self) -> String {
        std::fs::read_to_string(self.run.join("journal.jsonl")).unwrap()
    }

    /// The events of a kind, in order.
    pub fn events(&self, kind: &str) -> Vec<Value> {
        let journal = self.journal();
        let lines = journal
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap());
        let events = lines.map(|mut line| line["event"].take());
        events.filter(|event| event["kind"] == kind).collect()
    }

    /// A value of an event that may stand in a blob.
    fn text(&self, value: &Value) -> String {
        if let Some(text) = value["text"].as_str() {
            return text.to_owned();
        }
        let digest = value["blob"]
            .as_str()
            .unwrap_or_else(|| panic!("neither text nor blob: {value}"));
        let name = digest.trim_start_matches("sha256:");
        let found = walkdir::WalkDir::new(self.run.join("blobs"))
            .into_iter()
            .map(Result::unwrap)
            .find(|entry| entry.path().to_string_lossy().replace('/', "").ends_with(name));
        std::fs::read_to_string(found.unwrap().path()).unwrap()
    }

    /// What the agent was answered, call by call; without what tells of the session.
    pub fn observations(&self) -> Vec<String> {
        let finished = self.events("tool_finished").into_iter();
        finished
            .map(|event| {
                let stable = if event["stable"].is_object() {
                    "stable"
                } else {
                    "observation"
                };
                self.text(&event[stable])
            })
            .collect()
    }

    /// The files that the first command listed.
    pub fn listed(&self) -> Vec<String> {
        let first = &self.observations()[0];
        let lines = first.lines().filter(|line| line.starts_with("./"));
        lines.map(str::to_owned).collect()
    }

    /// The grade that closed the run.
    pub fn grade(&self) -> Value {
        self.events("run_graded").pop().unwrap()["grade"].take()
    }

    /// Holds the grade to what was handed in: our own grader and the published ones.
    pub fn assert_right(&self, questions: usize) {
        let grade = self.grade();
        let parts = grade["parts"].as_array().unwrap();
        assert_eq!(parts.len(), questions, "{grade}");
        assert!(parts.iter().all(|part| part["score"] == 1.0), "{grade}");
        let others = grade["others"].as_array().unwrap();
        assert_eq!(others.len(), 5, "{grade}");
        assert!(others.iter().all(|one| one["right"] == questions), "{grade}");
    }
}
