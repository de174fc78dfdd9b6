//! A person at the terminal.

use std::fs::File;
use std::io::{Read, Write};
use std::process::{Child, Stdio};

use nix::pty::openpty;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::support::Place;

const PROMPT: &str = "decides later";

/// A run with a terminal of its own.
struct Attended {
    child: Child,
    terminal: File,
    seen: String,
    /// Prompts that were answered.
    answered: usize,
}

impl Attended {
    fn start(place: &Place, model: &str) -> Self {
        let pty = openpty(None, None).unwrap();
        let end = || Stdio::from(pty.slave.try_clone().unwrap());
        let child = place
            .command(&[
                "run",
                "slope",
                "--code-mode",
                "native",
                "--model",
                model,
                "--approve",
                "ask",
                "--out",
                "out",
            ])
            .stdin(end())
            .stdout(end())
            .stderr(end())
            .spawn()
            .unwrap();
        drop(pty.slave);
        Self {
            child,
            terminal: File::from(pty.master),
            seen: String::new(),
            answered: 0,
        }
    }

    /// Reads until the next prompt; false when the program has ended.
    fn prompted(&mut self) -> bool {
        let mut buffer = [0; 4096];
        while self.seen.matches(PROMPT).count() <= self.answered {
            match self.terminal.read(&mut buffer) {
                Ok(0) | Err(_) => return false,
                Ok(read) => self.seen.push_str(&String::from_utf8_lossy(&buffer[..read])),
            }
        }
        self.answered += 1;
        true
    }

    fn say(&mut self, line: &str) {
        writeln!(self.terminal, "{line}").unwrap();
    }

    fn end(mut self) -> (Option<i32>, String) {
        while self.prompted() {
            self.say("y");
        }
        (self.child.wait().unwrap().code(), self.seen)
    }
}

#[test]
fn yes_lets_it_run() {
    let place = Place::new();
    place.study();
    let mut run = Attended::start(&place, "recorded:native");
    assert!(run.prompted());
    assert!(
        run.seen.contains("+DATA=../replication_data/plot.csv"),
        "no difference was shown: {}",
        run.seen
    );
    run.say("y");
    let (status, seen) = run.end();
    assert_eq!(status, Some(0), "{seen}");
    assert!(seen.contains("criterion met"), "{seen}");
    let journal = std::fs::read_to_string(place.path().join("out/journal.jsonl")).unwrap();
    assert!(
        journal.matches(r#""by":"person""#).count() >= 4,
        "somebody else decided"
    );
}

#[test]
fn words_are_advice_and_counted_as_help() {
    let place = Place::new();
    place.study();
    let mut run = Attended::start(&place, "scripted:native");
    assert!(run.prompted());
    run.say("leave the path as it is");
    let (status, seen) = run.end();
    assert_eq!(status, Some(0), "{seen}");
    let report = place
        .call(&["report", "out", "--format", "json", "--out", "-"])
        .stdout;
    assert!(report.contains("leave the path as it is"));
    let report = place
        .call(&["report", "out", "--format", "md", "--out", "-"])
        .stdout;
    assert!(report.contains("refusals with advice 1"), "{report}");
}

#[test]
fn ctrl_c_at_the_prompt_stops_it() {
    let place = Place::new();
    place.study();
    let mut run = Attended::start(&place, "recorded:native");
    assert!(run.prompted());
    kill(Pid::from_raw(run.child.id() as i32), Signal::SIGINT).unwrap();
    let (status, seen) = run.end();
    assert_eq!(status, Some(130), "{seen}");
    assert_eq!(place.call(&["resume", "out"]).status, 5, "it cannot be resumed");
}
