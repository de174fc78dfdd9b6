//! The commands that a program says it ran, held against those that were seen from outside.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::Value;

use crate::catalog::agents::events::{AgentEvents, ReportedCommand, command_text};
use crate::domain::excerpt;
use crate::domain::seen_command::{SeenCommand, code_runs};
use crate::engine::error::EngineError;
use crate::engine::session::Session;
use crate::run::program::{CommandSource, RanCommands};
use crate::run::stage_state::StageState;
use crate::sandbox::session::processes::{ProcessSight, SeenProcesses};

/// Commands that are named in the journal, and letters of one.
const NAMED: usize = 50;
const LETTERS: usize = 300;
/// Letters by which a reported command is known again.
const BEGINNING: usize = 300;
/// From here on the longest time between two looks is told.
const GAP: Duration = Duration::from_millis(10);
/// Bytes of a line of events that is read, and commands that are kept.
const LINE: usize = 1 << 20;
const MOST: usize = 10_000;

/// Reads the commands out of what a program prints.
#[derive(Debug)]
pub struct EventReader {
    events: Option<AgentEvents>,
    line: String,
    reported: Vec<ReportedCommand>,
}

impl EventReader {
    /// A reader of the events that a definition describes, where it does.
    pub fn new(events: Option<AgentEvents>) -> Self {
        Self {
            events,
            line: String::new(),
            reported: Vec::new(),
        }
    }

    /// Takes in what was printed since the last time.
    pub fn push(&mut self, text: &str) {
        let Some(events) = &self.events else { return };
        for part in text.split_inclusive('\n') {
            if self.line.len() + part.len() <= LINE {
                self.line.push_str(part);
            }
            if !part.ends_with('\n') {
                continue;
            }
            let event = serde_json::from_str::<Value>(self.line.trim());
            self.line.clear();
            if let Ok(event) = event
                && self.reported.len() < MOST
            {
                self.reported.extend(events.command_in(&event));
            }
        }
    }

    /// The commands that were reported; `None` where the definition describes no events.
    pub fn reported(self) -> Option<Vec<ReportedCommand>> {
        self.events.map(|_| self.reported)
    }
}

/// The commands that the model told a program to run, by its calls from a turn on.
fn told(state: Option<&StageState>, from: usize) -> Vec<ReportedCommand> {
    let turns = state.into_iter().flat_map(|state| state.turns.iter().skip(from));
    let calls = turns.flat_map(|turn| &turn.calls);
    calls
        .filter_map(|call| {
            let arguments: Value = serde_json::from_str(&call.arguments).ok()?;
            let command = ["command", "cmd"].iter().find_map(|name| arguments.get(*name))?;
            Some(ReportedCommand {
                command: command_text(command)?,
                status: None,
            })
        })
        .take(MOST)
        .collect()
}

/// What is known of the commands that one start of a program ran.
///
/// # Errors
/// A store that cannot be written.
pub fn ran(
    session: &Session,
    state: Option<&StageState>,
    calls_before: usize,
    reported: Option<Vec<ReportedCommand>>,
    sight: ProcessSight,
) -> Result<RanCommands, EngineError> {
    let (source, reported) = match reported {
        Some(reported) => (CommandSource::Events, reported),
        None => (CommandSource::ModelCalls, told(state, calls_before)),
    };
    let (processes, not_observed) = match sight {
        ProcessSight::Seen(processes) => (processes, None),
        ProcessSight::NotObserved(why) => (SeenProcesses::default(), Some(why)),
    };
    let seen = processes.commands;
    let unreported = unreported(&reported, &seen);
    let kept = |list: &Value| -> Result<_, EngineError> { Ok(session.keep(list.to_string().as_bytes())?) };
    let json =
        |error: serde_json::Error| EngineError::Unusable(format!("commands cannot be written: {error}"));
    Ok(RanCommands {
        source,
        reported_count: reported.len() as u64,
        reported: kept(&serde_json::to_value(&reported).map_err(json)?)?,
        seen_count: seen.len() as u64 + processes.further,
        seen: kept(&serde_json::to_value(&seen).map_err(json)?)?,
        code_runs: code_runs(&seen),
        not_observed,
        longest_gap_ms: told_gap(processes.longest_gap),
        unreported_count: unreported.len() as u64,
        unreported: unreported
            .into_iter()
            .take(NAMED)
            .map(|command| excerpt(&command))
            .collect(),
    })
}

/// The longest time between two looks in milliseconds, where it is worth telling; else 0.
fn told_gap(longest: Duration) -> u64 {
    if longest < GAP {
        return 0;
    }
    u64::try_from(longest.as_millis()).unwrap_or(u64::MAX)
}

fn excerpt(command: &str) -> String {
    excerpt::shortened(command, LETTERS).replace(char::is_control, " ")
}

/// The commands that were seen and that nothing which was reported accounts for, each once: neither itself
/// nor one of those that led to it. What started everything is the program.
fn unreported(reported: &[ReportedCommand], seen: &[SeenCommand]) -> Vec<String> {
    let reported: Vec<Vec<String>> = reported.iter().map(|one| beginning(&one.command)).collect();
    let mut accounted: Vec<bool> = Vec::new();
    let mut found = BTreeSet::new();
    let mut unreported = Vec::new();
    for command in seen {
        let whole = command.words.join(" ");
        let words = tokens(&whole);
        let by_parent = command.parent.and_then(|parent| accounted.get(parent).copied());
        let is_accounted = by_parent == Some(true) || reported.iter().any(|one| stands_in(one, &words));
        accounted.push(is_accounted);
        // The program itself, and what it becomes before it runs anything.
        let is_program = command.parent.is_none();
        if !is_accounted && !is_program && found.insert(whole.clone()) {
            unreported.push(whole);
        }
    }
    unreported
}

/// The first words of a command: what was seen of a long one was cut.
fn beginning(command: &str) -> Vec<String> {
    let kept = excerpt::first_bytes(command, BEGINNING);
    let mut words = tokens(kept);
    if kept.len() < command.len() && words.len() > 1 {
        words.pop();
    }
    words
}

/// The words of a command, without what only a shell reads.
fn tokens(command: &str) -> Vec<String> {
    let is_apart =
        |letter: char| letter.is_whitespace() || matches!(letter, '\'' | '"' | '\\' | ';' | '(' | ')');
    command
        .split(is_apart)
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Whether the words of a report stand in those of a command, one behind the other.
fn stands_in(reported: &[String], words: &[String]) -> bool {
    !reported.is_empty() && words.windows(reported.len()).any(|window| window == reported)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn command(words: &[&str], parent: Option<usize>) -> SeenCommand {
        SeenCommand {
            words: words.iter().map(|word| (*word).to_owned()).collect(),
            parent,
        }
    }

    fn reported(commands: &[&str]) -> Vec<ReportedCommand> {
        let one = |command: &&str| ReportedCommand {
            command: (*command).to_owned(),
            status: None,
        };
        commands.iter().map(one).collect()
    }

    #[test]
    fn what_a_reported_command_starts_is_accounted_for_and_nothing_else_is() {
        let seen = [
            command(&["codex", "exec"], None),
            command(&["/bin/bash", "-lc", "cd x && python3 a.py --n 3"], Some(0)),
            command(&["python3", "a.py", "--n", "3"], Some(1)),
            command(&["bash", "-c", "curl -s http://127.0.0.1:9"], Some(0)),
            command(&["curl", "-s", "http://127.0.0.1:9"], Some(3)),
            command(&["cat", "tools"], Some(0)),
            command(&["cat", "tools"], Some(0)),
        ];
        let told = reported(&["cd x && python3 a.py --n 3", "ls"]);
        assert_eq!(
            unreported(&told, &seen),
            [
                "bash -c curl -s http://127.0.0.1:9",
                "curl -s http://127.0.0.1:9",
                "cat tools"
            ]
        );
        assert!(
            unreported(
                &reported(&[
                    "bash -lc 'cat tools'",
                    "cat tools",
                    "curl -s http://127.0.0.1:9",
                    "cd x && python3 a.py --n 3"
                ]),
                &seen
            )
            .is_empty()
        );
    }

    #[test]
    fn commands_are_read_out_of_events_that_come_in_pieces() {
        let events: AgentEvents = serde_json::from_value(json!({
            "commands": [{ "where": { "/type": "done" }, "command": "/item/command", "status": "/item/code" }],
        }))
        .unwrap();
        let mut reader = EventReader::new(Some(events));
        reader.push("{\"type\": \"done\", \"item\": {\"command\": [\"ls\", \"-l\"],");
        reader.push(" \"code\": 2}}\nnoise\n{\"type\": \"begun\", \"item\": {\"command\": \"x\"}}\n");
        let found = reader.reported().unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].command.as_str(), found[0].status), ("ls -l", Some(2)));
        assert!(EventReader::new(None).reported().is_none());
    }
}
