//! One run of a scripted agent, and what it got.

use std::fmt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;

use super::agent::Agent;
use super::code_page;
use super::server;
use super::trap::{Kind, Trap};

/// One attempt of an agent, with its outcome.
pub struct Attempt {
    pub half: &'static str,
    pub name: String,
    pub kind: Kind,
    pub detectable: bool,
    /// `met`, `unmet`, `inconclusive` or `not_comparable`.
    pub outcome: String,
    pub cause: String,
    pub reason: String,
    /// What is wrong with the agent.
    pub defect: String,
    /// By what it can be told, or why not.
    why: String,
    wrong: Vec<String>,
    expect: Vec<String>,
    seconds: f64,
}

impl Attempt {
    /// A verdict that the agent does not deserve.
    pub fn is_wrong(&self) -> bool {
        match self.kind {
            Kind::Trap => self.wrong.contains(&self.outcome),
            Kind::Honest => {
                matches!(self.outcome.as_str(), "met" | "unmet") && !self.expect.contains(&self.outcome)
            }
        }
    }

    /// An honest agent that did not get what it deserves.
    pub fn is_false_alarm(&self) -> bool {
        self.kind == Kind::Honest && !self.expect.contains(&self.outcome)
    }
}

impl fmt::Display for Attempt {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mark = if self.is_wrong() {
            "WRONG"
        } else if self.is_false_alarm() {
            "ALARM"
        } else {
            "ok"
        };
        write!(
            formatter,
            "{mark:5} {:32} {:13} {:18} {:5.1} s  {}",
            self.name, self.outcome, self.cause, self.seconds, self.reason
        )?;
        if mark == "ok" {
            return Ok(());
        }
        write!(formatter, "\n      {} {}", self.defect, self.why)
    }
}

/// Lets an agent replicate its study.
pub fn run(trap: &Trap) -> Attempt {
    let definition = &trap.definition;
    let study = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("studies")
        .join(&definition.study);
    let mode: &[&str] = match definition.mode.as_str() {
        "native" => &["--code-mode", "native"],
        "data-only" => &["--code-mode", "python", "--code-access", "data-only"],
        _ => &["--code-mode", "python"],
    };
    let started = Instant::now();
    let copy = tempfile::tempdir().unwrap();
    let study = match definition.code_page {
        true => code_page::with_code_page(&study, copy.path()),
        false => study,
    };
    let verdict = verdict(&trap.name, &study, mode, |out| Agent::new(trap, out));
    let text = |key: &str| verdict[key].as_str().unwrap_or_default().to_owned();
    Attempt {
        half: trap.half,
        name: trap.name.clone(),
        kind: definition.kind,
        detectable: definition.detectable,
        outcome: text("outcome"),
        cause: text("cause"),
        reason: text("reason"),
        defect: definition.defect.clone(),
        why: definition.why.clone(),
        wrong: definition.wrong.clone(),
        expect: definition.expect.clone(),
        seconds: started.elapsed().as_secs_f64(),
    }
}

/// The verdict on a study's replication by an agent.
pub fn verdict(name: &str, study: &Path, mode: &[&str], agent: impl FnOnce(&Path) -> Agent) -> Value {
    let place = tempfile::tempdir().unwrap();
    let out = place.path().join("out");
    let agent = agent(&out);
    let is_stopped = agent.lets_it_be_stopped();
    let (port, stops) = server::serve(agent);
    let mut command = program_in(place.path());
    command
        .arg("run")
        .arg(study)
        .args([
            "--approve",
            "auto",
            "--sandbox",
            "local",
            "--json",
            "--allow-unpriced",
            "--out",
        ])
        .arg(&out)
        .args(["--model", &format!("openai-api/127.0.0.1:{port}/v1/scripted")])
        .args(mode)
        // A machine with other work to do needs another `--probe-time`.
        .args(
            std::env::var("REPRISE_TRAPS_ARGS")
                .unwrap_or_default()
                .split_whitespace(),
        );
    let output = if is_stopped {
        stop(&mut command, &stops);
        program_in(place.path())
            .args(["resume", "out", "--json"])
            .output()
    } else {
        command.output()
    };
    let output = output.unwrap();
    if let Ok(keep) = std::env::var("REPRISE_TRAPS_KEEP") {
        let to = Path::new(&keep).join(name);
        let _gone = std::fs::remove_dir_all(&to);
        let copied = Command::new("cp").arg("-a").arg(&out).arg(&to).status();
        assert!(copied.unwrap().success());
    }
    let said: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| {
        panic!(
            "{name}: {}\n{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        )
    });
    said["verdict"].clone()
}

/// Starts a run, stops it as Ctrl-C does when it waits for the agent, and waits for its end.
fn stop(command: &mut Command, stops: &Receiver<()>) {
    let quiet = command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut run = quiet.spawn().unwrap();
    stops.recv_timeout(Duration::from_secs(600)).unwrap();
    let process = Pid::from_raw(i32::try_from(run.id()).unwrap());
    kill(process, Signal::SIGINT).unwrap();
    assert!(!run.wait().unwrap().success());
}

/// The program that is judged, in a place of its own.
fn program_in(place: &Path) -> Command {
    let mut command = Command::new(program());
    command
        .current_dir(place)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", place)
        .env("DOCKER_HOST", "unix:///nonexistent/docker.sock")
        .env("REPRISE_CACHE", cache())
        .env("REPRISE_MODEL_KEY", "none");
    for (name, value) in std::env::vars().filter(|(name, _)| name.starts_with("PIP_")) {
        command.env(name, value);
    }
    command
}

/// The program that is judged: this build's own, or the release's.
fn program() -> std::path::PathBuf {
    match std::env::var_os("REPRISE_TRAPS_PROGRAM") {
        Some(program) => Path::new(env!("CARGO_MANIFEST_DIR")).join(program),
        None => env!("CARGO_BIN_EXE_reprise").into(),
    }
}

fn cache() -> std::path::PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache")
}
