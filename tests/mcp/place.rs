//! A folder for runs of the bundled capsule of sunspots.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::need::need_that;

pub fn sunspots() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("capsules/sunspots/task.json")
}

/// The right answers, as the task file has them.
pub fn right() -> Value {
    let text = std::fs::read_to_string(sunspots()).unwrap();
    serde_json::from_str::<Value>(&text).unwrap()[0]["results"][0].clone()
}

/// A place for one run.
pub struct Place {
    folder: TempDir,
    study: Option<PathBuf>,
}

impl Place {
    /// `None` where the local sandbox has no namespaces.
    pub fn new() -> Option<Self> {
        let unshared = Command::new("unshare").args(["-n", "true"]).output();
        let works = unshared.is_ok_and(|output| output.status.success());
        need_that(works, "namespaces are not allowed here")?;
        Some(Self {
            folder: tempfile::tempdir().unwrap(),
            study: None,
        })
    }

    /// A place for a run of a study.
    pub fn of_study(study: PathBuf) -> Option<Self> {
        let place = Self::new()?;
        Some(Self {
            study: Some(study),
            ..place
        })
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The program, ready to be called.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_reprise"));
        command
            .args(arguments)
            .current_dir(self.path())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.path());
        command
    }

    /// The words that serve the run of this place: of the capsule, which approves itself unless `--approve` is given, if no
    /// study is named.
    pub fn served(&self, further: &[&str]) -> Vec<String> {
        let asks = self.study.is_some() || further.contains(&"--approve");
        let approve: &[&str] = if asks { &[] } else { &["--approve", "auto"] };
        let task = self.study.clone().unwrap_or_else(sunspots);
        // Clients start a server wherever they are.
        let run = self.path().join("run");
        let words = [
            &[
                "agents",
                "mcp",
                task.to_str().unwrap(),
                "--sandbox",
                "local",
                "--out",
                run.to_str().unwrap(),
            ],
            approve,
            further,
        ];
        words.concat().into_iter().map(str::to_owned).collect()
    }

    pub fn call(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    pub fn journal(&self) -> Vec<Value> {
        let text = std::fs::read_to_string(self.path().join("run/journal.jsonl")).unwrap();
        let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
        lines.collect()
    }

    /// The events of a kind, in their order.
    pub fn events(&self, kind: &str) -> Vec<Value> {
        let events = self.journal().into_iter().map(|mut line| line["event"].take());
        events.filter(|event| event["kind"] == kind).collect()
    }

    /// The acts of the session, as they are in the journal; each is short enough to stand there.
    pub fn acts(&self) -> Vec<Value> {
        let acts = self.events("tool_finished");
        let texts = acts.iter().filter_map(|event| event["act"]["text"].as_str());
        texts.map(|text| serde_json::from_str(text).unwrap()).collect()
    }

    /// The run as `show` has it.
    pub fn shown(&self) -> Value {
        let output = self.call(&["show", "run", "--json"]);
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| json!({}))
    }
}
