//! An attempt at the bundled capsule of sunspots by the fake agent.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::need::need_that;
use crate::provider::{Provider, Speaks};
pub use crate::sandboxes::Where;
use crate::sandboxes::docker_answers;

/// The right answers.
pub fn answers() -> Value {
    json!({
        "Report the mean number of sunspots.": 49.752104,
        "Report the autocorrelation at lag 11.": 0.650291,
        "Report the dominant period, in years.": 11.035714,
        "Report the bootstrap standard error of the mean.": 3.481799,
        "Report the years of the three highest numbers as a list, from the highest on.": [1957, 1958, 1959],
        "fig Report the century with the highest bar in figure 1, as it is labelled.": "20th",
    })
}

/// The commands by which the agent comes to the answers: it looks, runs the code, and writes them.
pub fn commands() -> Vec<String> {
    let folder = "environment/capsule-9000001";
    vec![
        format!("ls {folder}"),
        format!(
            "cd {folder}/code && mkdir -p ../results && python3 sunspots.py --help | head -n 1; head -n 2 ../data/sunspots.csv"
        ),
        format!("cat > \"$REPRISE_ANSWER_FILE\" <<'END'\n{}\nEND", answers()),
    ]
}

/// A place for an attempt: a provider, a sandbox, a folder.
pub struct Place {
    folder: TempDir,
    /// The folder with the files of the fake agent.
    pub files: PathBuf,
    pub provider: Provider,
    pub speaks: Speaks,
    /// The dialect in which its provider is asked.
    pub model_speaks: Speaks,
    pub sandbox: Where,
}

impl Place {
    /// `None` where the sandbox is lacking.
    pub fn new(speaks: Speaks, sandbox: Where, commands: Vec<String>) -> Option<Self> {
        Self::with(sandbox, speaks, || Provider::start(speaks, commands))
    }

    /// The same, with a provider of its own.
    pub fn with(sandbox: Where, speaks: Speaks, provider: impl FnOnce() -> Provider) -> Option<Self> {
        match sandbox {
            Where::Docker => docker_answers()?,
            Where::Local => {
                let unshared = Command::new("unshare").args(["-n", "true"]).output();
                let works = unshared.is_ok_and(|output| output.status.success());
                need_that(works, "namespaces are not allowed here")?;
            }
        }
        Some(Self {
            folder: tempfile::tempdir().unwrap(),
            files: Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents/clients"),
            provider: provider(),
            speaks,
            model_speaks: speaks,
            sandbox,
        })
    }

    pub fn run(&self) -> PathBuf {
        self.folder.path().join("out")
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The program, ready to be called.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_reprise"));
        command
            .args(arguments)
            .current_dir(self.folder.path())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.folder.path())
            .env(
                "REPRISE_CACHE",
                Path::new(env!("CARGO_TARGET_TMPDIR")).join("docker-cache"),
            )
            .envs(self.provider.model(self.model_speaks).1);
        if let Some(host) = std::env::var_os("DOCKER_HOST") {
            command.env("DOCKER_HOST", host);
        }
        command
    }

    /// An attempt with the fake agent, told these words besides its dialect.
    pub fn begin(&self, options: &[&str], words: &[&str]) -> Command {
        let mut command = self.asked("auto", self.sandbox.name(), options);
        command
            .args(["--", "python3", "/agent/agent.py", self.speaks.word()])
            .args(words);
        command
    }

    /// An attempt with the fake agent, but for its command.
    pub fn asked(&self, approve: &str, sandbox: &str, options: &[&str]) -> Command {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut command = self.command(&["capsule", "run"]);
        command
            .arg(root.join("capsules/sunspots/task.json"))
            .args([
                "--approve",
                approve,
                "--network",
                "none",
                "--allow-unpriced",
                "--out",
                "out",
            ])
            .args([
                "--sandbox",
                sandbox,
                "--model",
                &self.provider.model(self.model_speaks).0,
            ])
            .args(["--agent", "command", "--agent-files"])
            .arg(&self.files)
            .args(options);
        command
    }

    /// A run of the study of the harvest whose agent is the fake one.
    pub fn study(&self, options: &[&str], words: &[&str]) -> Command {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut command = self.command(&["run"]);
        command
            .arg(root.join("tests/fixtures/harvest"))
            .args(["--allow-unpriced", "--quiet", "--out", "out"])
            .args(["--sandbox", self.sandbox.name()])
            .args(["--model", &self.provider.model(self.model_speaks).0])
            .args(["--agent", "command", "--agent-files"])
            .arg(&self.files)
            .args(options)
            .args(["--", "python3", "/agent/agent.py", self.speaks.word()])
            .args(words);
        command
    }

    pub fn resume(&self, options: &[&str]) -> Output {
        self.command(&[&["resume", "out"], options].concat())
            .output()
            .unwrap()
    }

    pub fn journal(&self) -> Vec<Value> {
        let text = std::fs::read_to_string(self.run().join("journal.jsonl")).unwrap();
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// The events of a kind, in their order.
    pub fn events(&self, kind: &str) -> Vec<Value> {
        let events = self.journal().into_iter().map(|mut line| line["event"].take());
        events.filter(|event| event["kind"] == kind).collect()
    }

    /// The number of the event that is the `nth` of a kind, from 1.
    pub fn number(&self, kind: &str, nth: usize) -> usize {
        let journal = self.journal();
        let found = journal.iter().filter(|line| line["event"]["kind"] == kind);
        let mut seq = found.map(|line| line["seq"].as_u64().unwrap() as usize);
        seq.nth(nth - 1).unwrap()
    }

    /// Holds the run to a good end: every answer right, and the calls paid once each.
    pub fn assert_right(&self, output: &Output, calls: usize) {
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.success(),
            "{:?}: {}\n{said}",
            self.speaks,
            output.status
        );
        let grade = self.events("run_graded").pop().unwrap()["grade"].take();
        let parts = grade["parts"].as_array().unwrap();
        assert!(
            parts.len() == 6 && parts.iter().all(|part| part["score"] == 1.0),
            "{grade}"
        );
        assert_eq!(
            self.provider.arrived().len(),
            calls,
            "calls that reached the provider"
        );
        let answered = self.events("model_answered");
        assert_eq!(answered.len(), calls, "calls in the journal");
        for event in answered {
            let usage = &event["usage"];
            assert_eq!(
                (&usage["input"], &usage["output"]),
                (&json!(1000), &json!(10)),
                "{usage}"
            );
        }
    }
}

/// What a call printed as an error.
pub fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}
