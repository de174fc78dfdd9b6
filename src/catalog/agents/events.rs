//! The events that an agent prints, one JSON value a line, as its definition describes them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The events of an agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentEvents {
    /// Those that report a command.
    pub commands: Vec<CommandEvent>,
}

/// An event that reports a command, by JSON pointers (RFC 6901).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CommandEvent {
    /// What stands where in such an event.
    #[serde(rename = "where")]
    pub holds: BTreeMap<String, Value>,
    /// Where the command stands, as a text or as a list of words.
    pub command: String,
    /// Where its exit status stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
}

/// A command that a program says it ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportedCommand {
    pub command: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<i64>,
}

/// A command that is given as one text, or as a list of words.
pub fn command_text(command: &Value) -> Option<String> {
    match command {
        Value::String(text) => Some(text.clone()),
        Value::Array(words) => {
            let words: Option<Vec<&str>> = words.iter().map(Value::as_str).collect();
            Some(words?.join(" "))
        }
        _ => None,
    }
}

impl AgentEvents {
    /// The command that an event reports.
    pub fn command_in(&self, event: &Value) -> Option<ReportedCommand> {
        let fits = |one: &&CommandEvent| {
            one.holds
                .iter()
                .all(|(at, value)| event.pointer(at) == Some(value))
        };
        let found = self.commands.iter().find(fits)?;
        let command = command_text(event.pointer(&found.command)?)?;
        let status = found.status.as_ref().and_then(|at| event.pointer(at)?.as_i64());
        Some(ReportedCommand { command, status })
    }

    /// What keeps the description from being used, in a sentence.
    pub(super) fn fault(&self) -> Option<String> {
        let pointers = self.commands.iter().flat_map(|one| {
            let pointers = one.holds.keys().chain([&one.command]);
            pointers.chain(&one.status)
        });
        let mut wrong = pointers.filter(|at| !at.starts_with('/')).map(|at| {
            format!(
                "`events` has `{at}`, which is no JSON pointer: one begins with `/`, as in `/item/command`"
            )
        });
        wrong.next()
    }
}
