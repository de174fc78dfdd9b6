//! A command that a program asks about before it runs it, and what it is told.

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;

/// The path that commands are asked about at.
pub const PATH: &str = "/reprise/command";
/// The largest question, in bytes.
pub const LARGEST: usize = 1 << 20;

/// A command that a program is about to run.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct AskedCommand {
    /// The text that it gives to a shell.
    pub command: String,
    /// The folder that it names for it; absent where that is its own.
    #[serde(default, alias = "dir_path", alias = "workdir")]
    pub directory: Option<String>,
}

/// A question as hooks of programs are given it: the tool, and what the model gives it.
#[derive(Deserialize)]
struct HookInput {
    tool_input: AskedCommand,
}

impl AskedCommand {
    /// The command of a question, which is either of `command` and `directory`, or has these as `tool_input`.
    pub fn parse(body: &[u8]) -> Option<Self> {
        let of_hook = serde_json::from_slice::<HookInput>(body).map(|hook| hook.tool_input);
        of_hook.or_else(|_| serde_json::from_slice(body)).ok()
    }
}

/// The decision on a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommandReply {
    Allowed,
    /// It is not to be run; the words are for the program's model.
    Refused(String),
}

impl IntoResponse for CommandReply {
    /// 200 where the command may be run; whatever else a program is given is a refusal.
    fn into_response(self) -> Response {
        match self {
            Self::Allowed => StatusCode::OK.into_response(),
            Self::Refused(words) => (StatusCode::FORBIDDEN, words).into_response(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_of_a_command_and_its_folder() {
        let asked = |text: &str| AskedCommand::parse(text.as_bytes());
        let command = |directory: Option<&str>| {
            Some(AskedCommand {
                command: "ls".to_owned(),
                directory: directory.map(str::to_owned),
            })
        };
        assert_eq!(asked(r#"{"command": "ls"}"#), command(None));
        assert_eq!(
            asked(r#"{"command": "ls", "directory": "a"}"#),
            command(Some("a"))
        );
        let hook = r#"{"tool_name": "t", "tool_input": {"command": "ls", "dir_path": "a"}, "cwd": "/"}"#;
        assert_eq!(asked(hook), command(Some("a")));
        for wrong in ["", "{}", r#"{"command": ["ls"]}"#, r#"{"tool_input": {}}"#] {
            assert_eq!(asked(wrong), None, "{wrong}");
        }
    }
}
