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
                "--no-probe",
                "--model",
                model,
                "--approve",
                "ask",
                "--out",
                "out",
            ])
            .env("PAGER", "cat")
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

    /// Reads until the program has said something, beyond what was said before.
    fn reads(&mut self, words: &str) {
        let before = self.seen.matches(words).count();
        let mut buffer = [0; 4096];
        while self.seen.matches(words).count() <= before {
            let read = self.terminal.read(&mut buffer).unwrap();
            assert!(read > 0, "{words} was not said: {}", self.seen);
            self.seen.push_str(&String::from_utf8_lossy(&buffer[..read]));
        }
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

#[test]
fn advice_to_a_recording_can_be_taken_back_or_leads_on_by_hand() {
    let place = Place::new();
    place.study();
    let mut run = Attended::start(&place, "recorded:native");
    assert!(run.prompted());
    run.say("leave the path as it is");
    run.reads("[n]o and answer otherwise");
    run.say("n");
    assert!(run.prompted());
    let journal = || std::fs::read_to_string(place.path().join("out/journal.jsonl")).unwrap();
    assert!(!journal().contains("leave the path"));
    run.say("leave the path as it is");
    run.reads("[n]o and answer otherwise");
    run.say("y");
    // What the person would run next is asked about in its turn.
    assert!(run.prompted());
    run.say("q");
    let (status, seen) = run.end();
    assert_eq!(status, Some(5), "{seen}");
    assert!(journal().contains("leave the path") && journal().contains("\"by_hand\":true"));
}

#[test]
fn all_of_a_question_can_be_viewed() {
    let place = Place::new();
    place.study();
    let mut run = Attended::start(&place, "recorded:native");
    assert!(run.prompted());
    run.say("v");
    assert!(run.prompted());
    assert_eq!(run.seen.matches("+DATA=").count(), 2, "{}", run.seen);
    run.say("y");
    let (status, seen) = run.end();
    assert_eq!(status, Some(0), "{seen}");
    // What runs is said behind all that there is to read about it.
    let question = seen.rfind("decides later").unwrap();
    let before = seen[..question].lines().rev().nth(1).unwrap_or_default();
    assert!(before.contains("run "), "{before}");
}
