//! `bash`: a command in the shell of the session, or what becomes of the one under way.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::arguments;
use super::contract::{Observation, Request, Tool, ToolOutcome};
use super::workspace::Workspace;
use crate::model::chat::ToolSpec;

/// The tool's name.
pub const NAME: &str = "bash";

/// The longest command, in bytes.
const LONGEST: usize = 256 << 10;
/// Seconds that a call waits where none are given.
const PATIENCE: u64 = 120;
/// Seconds that a call may wait at most.
const LONGEST_WAIT: u64 = 3600;

/// A shell whose state lasts between calls.
pub struct Bash;

/// The wish to go on with the command under way, instead of giving another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum BashControl {
    Wait,
    Interrupt,
    Kill,
}

/// An act in the shell of a session, as the journal keeps it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum BashAct {
    Command { command: String, seconds: u64 },
    Control { control: BashControl, seconds: u64 },
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// The command, of any length and number of lines. Variables, the directory and background
    /// processes last until the next call; standard input is empty.
    #[serde(default)]
    command: Option<String>,
    /// Instead of a command: `wait` for the one that still runs, `interrupt` it (Ctrl-C) or
    /// `kill` it.
    #[serde(default)]
    control: Option<BashControl>,
    /// Seconds to wait for the command to end, from 1 to 3600; 120 where none are given. It runs
    /// on behind them.
    #[serde(default)]
    seconds: Option<u64>,
}

impl Tool for Bash {
    fn name(&self) -> &'static str {
        NAME
    }

    fn spec(&self) -> ToolSpec {
        arguments::spec_of::<Arguments>(
            NAME,
            "Runs a command in one lasting bash session, in the folder work/ at first. Returns both output \
             streams and the exit status. Give `command`, or `control` for a command that still runs.",
        )
    }

    fn call(&self, given: &Value, _: &Workspace) -> ToolOutcome {
        let arguments = match arguments::read::<Arguments>(NAME, given) {
            Ok(arguments) => arguments,
            Err(wrong) => return ToolOutcome::Observed(wrong),
        };
        let seconds = arguments.seconds.unwrap_or(PATIENCE);
        if !(1..=LONGEST_WAIT).contains(&seconds) {
            return bad(format!(
                "`seconds` is {seconds}, and has to lie between 1 and {LONGEST_WAIT}"
            ));
        }
        let act = match (arguments.command, arguments.control) {
            (Some(command), None) if command.trim().is_empty() => return bad("`command` is empty".to_owned()),
            (Some(command), None) if command.len() > LONGEST => {
                return bad(format!(
                    "`command` is longer than {LONGEST} bytes: write a file in pieces"
                ));
            }
            (Some(command), None) if command.contains('\0') => {
                return bad("`command` holds a NUL byte".to_owned());
            }
            (Some(command), None) => BashAct::Command { command, seconds },
            (None, Some(control)) => BashAct::Control { control, seconds },
            _ => return bad("give either `command` or `control`".to_owned()),
        };
        ToolOutcome::Wanted(Request::Act { action: json!(act) })
    }
}

fn bad(why: String) -> ToolOutcome {
    ToolOutcome::Observed(Observation::bad(format!("Nothing was run: {why}.")))
}

#[cfg(test)]
mod tests {
    use super::super::fixture::Fixture;
    use super::*;

    #[test]
    fn a_call_is_one_command_or_one_wish() {
        let fixture = Fixture::new(&[]);
        let call = |arguments: Value| Bash.call(&arguments, &fixture.workspace);
        assert_eq!(
            call(json!({"command": "ls"})),
            ToolOutcome::Wanted(Request::Act {
                action: json!({"command": "ls", "seconds": 120})
            })
        );
        assert_eq!(
            call(json!({"control": "wait", "seconds": 5})),
            ToolOutcome::Wanted(Request::Act {
                action: json!({"control": "wait", "seconds": 5})
            })
        );
        for arguments in [
            json!({}),
            json!({"command": " "}),
            json!({"command": "ls", "control": "wait"}),
            json!({"command": "ls", "seconds": 0}),
            json!({"command": "a\u{0}b"}),
            json!({"command": "x".repeat(LONGEST + 1)}),
            json!({"control": "stop"}),
        ] {
            assert!(matches!(call(arguments), ToolOutcome::Observed(seen) if !seen.ok));
        }
        let act: BashAct = serde_json::from_value(json!({"control": "kill", "seconds": 9})).unwrap();
        assert_eq!(
            act,
            BashAct::Control {
                control: BashControl::Kill,
                seconds: 9
            }
        );
    }
}
