//! A folder with the bundled notebook tasks or others of the same form, and the program called from there.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::attempt::Attempt;
use crate::need::need_that;
use crate::sandboxes::{Where, docker_answers};

pub const EXPERT: &str = "degree-days";
pub const MASKED: &str = "word-chain_configuration";
/// The one that names a script, which rests for twelve seconds.
pub const SCRIPTED: &str = "word-chain";

/// The bundled tasks.
pub fn bundle() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("notebooks")
}

pub struct NotebookPlace {
    folder: TempDir,
}

impl NotebookPlace {
    /// With the bundled tasks, their mirrors and their recordings; `None` where a daemon, or the package
    /// index that kernels come from, is lacking.
    pub fn bundled(sandbox: Where) -> Option<Self> {
        if sandbox == Where::Docker {
            docker_answers()?;
        }
        let place = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        copy(&bundle(), place.path());
        Some(place)
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// A task beside the bundled ones, over the mirror of the Expert-like one.
    pub fn add_task(&self, id: &str, cells: &[Value], gold: &Value) {
        let cells: Vec<String> = cells.iter().map(Value::to_string).collect();
        let task = json!({
            "task_id": id, "github_repo": "https://example.org/reprise/degree-days", "git_commit": null,
            "query": "Train it, and report the test error as {\"test_error\": NUMBER}.",
            "query_components": {"e2e_task": "Train it", "scenario_task": "", "report": "", "instructions": ""},
            "pre_execute_cells": cells, "answer": gold["answer"].to_string(), "landmarks": gold["landmarks"],
            "solution_dependencies": "",
        });
        self.add_record(&task);
    }

    /// A task beside the bundled ones, with all columns given.
    pub fn add_record(&self, record: &Value) {
        let path = self.path().join("tasks.jsonl");
        let tasks = fs::read_to_string(&path).unwrap();
        fs::write(&path, format!("{tasks}{record}\n")).unwrap();
    }

    /// A recording, answered by position.
    pub fn record(&self, name: &str, turns: &[Value]) {
        let path = self.path().join(format!("recordings/{name}.json"));
        fs::write(path, recording(turns).to_string()).unwrap();
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let cache = format!("sandbox-cache-{}", nix::unistd::geteuid());
        let mut command = Command::new(env!("CARGO_BIN_EXE_reprise"));
        command
            .args(arguments)
            .current_dir(self.path())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.path())
            .env(
                "REPRISE_CACHE",
                Path::new(env!("CARGO_TARGET_TMPDIR")).join(cache),
            );
        for name in ["DOCKER_HOST", "PIP_INDEX_URL"] {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        command
    }

    /// The call of an attempt that approves itself, in a session without a network.
    pub fn run(&self, task: &str, sandbox: Where, further: &[&str]) -> Command {
        let mut command = self.command(&[
            "notebook",
            "run",
            "tasks.jsonl",
            "--approve",
            "auto",
            "--network",
            "none",
        ]);
        command
            .args(["--task", task, "--sandbox", sandbox.name()])
            .args(further);
        command
    }

    /// What a call has left in a folder, which came to its end; `None`, with a message, where the package
    /// index is out of reach.
    pub fn attempt(&self, out: &str, output: &Output) -> Option<Attempt> {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
        let without_kernel = !output.status.success() && stderr.contains("A notebook needs ipykernel");
        need_that(!without_kernel, "no kernel can be installed here")?;
        assert!(
            output.status.success(),
            "{out}: {}\n{stdout}\n{stderr}",
            output.status
        );
        Some(Attempt {
            run: self.path().join(out),
            stdout,
            stderr,
        })
    }
}

/// A recording of the stage, with these turns.
pub fn recording(turns: &[Value]) -> Value {
    json!({
        "format": "reprise-recording/1", "origin": "written by hand", "note": "Of a test.",
        "stages": {"solve": {"turns": turns}},
    })
}

/// A turn with one call.
pub fn turn(tool: &str, arguments: &Value) -> Value {
    json!({"answer": {"calls": [{"name": tool, "arguments": arguments}]}})
}

/// The turns of a bundled recording.
pub fn recorded_turns(task: &str) -> Vec<Value> {
    let text = fs::read(bundle().join(format!("recordings/{task}.json"))).unwrap();
    let recording: Value = serde_json::from_slice(&text).unwrap();
    recording["stages"]["solve"]["turns"].as_array().unwrap().clone()
}

/// The score of a part of a grade.
pub fn score(attempt: &Attempt, part: &str) -> Value {
    let grade = attempt.grade();
    let parts = grade["parts"].as_array().unwrap();
    let found = parts.iter().find(|one| one["name"] == part);
    found.unwrap_or_else(|| panic!("no part {part}: {grade}"))["score"].clone()
}

fn copy(from: &Path, to: &Path) {
    for entry in walkdir::WalkDir::new(from).min_depth(1) {
        let entry = entry.unwrap();
        let target = to.join(entry.path().strip_prefix(from).unwrap());
        if entry.file_type().is_dir() {
            fs::create_dir_all(target).unwrap();
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}
