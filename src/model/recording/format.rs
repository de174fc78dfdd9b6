//! The file `reprise-recording/1`.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::domain::conversation::{ChatResponse, Finish, Position, ToolCall};
use crate::domain::digest::Digest;
use crate::domain::stage::Stage;
use crate::domain::usage::Usage;
use crate::model::chat::{Message, ModelError};
use crate::model::recording::canonical::{Canonical, CanonicalTool};
use crate::model::recording::lines::{Lines, joined};

/// The format's name and version.
pub const FORMAT: &str = "reprise-recording/1";

/// Most bytes of a recording that are read.
pub const LARGEST: u64 = 256 << 20;

/// A whole recording.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recording {
    pub format: String,
    /// `written by hand`, or `recorded from MODEL`.
    pub origin: String,
    #[serde(default, skip_serializing_if = "is_empty")]
    pub note: Lines,
    /// The study that the conversations are about.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub study: String,
    /// The setting of the run, such as `python` or `native, data only`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub setting: String,
    pub stages: BTreeMap<Stage, RecordedStage>,
}

/// One stage's conversation.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedStage {
    #[serde(default)]
    pub turns: Vec<Turn>,
    /// What the network answered, in the order of asking.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub network: Vec<NetworkAnswer>,
}

/// One request and its answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Turn {
    /// `None` in a hand-written turn that no run has stamped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<RecordedRequest>,
    pub answer: Answer,
}

/// The request side of a turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedRequest {
    pub digest: Digest,
    /// The tools on offer, where they differ from those of the turn before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<CanonicalTool>>,
    /// Leading messages shared with the turn before; `None` for all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept: Option<usize>,
    /// The messages after those.
    pub added: Vec<Canonical>,
}

/// An answer as written in the file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    #[serde(default, skip_serializing_if = "is_empty")]
    pub text: Lines,
    /// In place of `text`: a document, which becomes its indented JSON text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub json: Option<Value>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<Call>,
    #[serde(default, skip_serializing_if = "is_stop")]
    pub finish: Option<Finish>,
    #[serde(default, skip_serializing_if = "is_nothing")]
    pub usage: Usage,
}

/// A call as written in the file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Call {
    /// Without one the id is `call_STAGE_TURN_N`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    pub name: String,
    /// The arguments: a value, or their JSON text as a string.
    pub arguments: Value,
}

/// One answer of the network.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetworkAnswer {
    /// `web_search` or `fetch_page`.
    pub tool: String,
    pub arguments: Value,
    pub result: Value,
}

fn is_empty(lines: &Lines) -> bool {
    lines.0.is_empty()
}

fn is_stop(finish: &Option<Finish>) -> bool {
    matches!(finish, None | Some(Finish::Stop))
}

fn is_nothing(usage: &Usage) -> bool {
    *usage == Usage::default()
}

/// The one field that is read before anything else.
#[derive(Deserialize)]
struct Header {
    format: String,
}

impl Recording {
    /// An empty recording.
    pub fn new(origin: impl Into<String>) -> Self {
        Self {
            format: FORMAT.to_owned(),
            origin: origin.into(),
            note: Lines::default(),
            study: String::new(),
            setting: String::new(),
            stages: BTreeMap::new(),
        }
    }

    /// Reads a recording; `name` is what errors call it.
    pub fn parse(name: &str, bytes: &[u8]) -> Result<Self, ModelError> {
        let broken = |error: serde_json::Error| {
            ModelError::Misconfigured(format!(
                "The recording `{name}` cannot be read: {error}. Mend the file, or record it again."
            ))
        };
        let header: Header = serde_json::from_slice(bytes).map_err(broken)?;
        if header.format != FORMAT {
            return Err(ModelError::Misconfigured(format!(
                "The recording `{name}` has the format `{}`, and this program reads `{FORMAT}`. Use the program that wrote it, or record it again.",
                header.format.chars().take(60).collect::<String>()
            )));
        }
        serde_json::from_slice(bytes).map_err(broken)
    }

    /// Reads a recording from a file.
    pub fn open(path: &Path) -> Result<Self, ModelError> {
        let name = path.display().to_string();
        let unreadable = |error: &dyn std::fmt::Display| {
            ModelError::Misconfigured(format!(
                "The recording `{name}` cannot be read: {error}. Name a recording that exists."
            ))
        };
        let file = std::fs::File::open(path).map_err(|error| unreadable(&error))?;
        let mut bytes = Vec::new();
        file.take(LARGEST + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| unreadable(&error))?;
        if bytes.len() as u64 > LARGEST {
            return Err(unreadable(&format!("it has more than {LARGEST} bytes")));
        }
        Self::parse(&name, &bytes)
    }

    /// The file's text: the same for equal recordings, and ending in a line end.
    pub fn to_json(&self) -> Result<String, ModelError> {
        let mut text = serde_json::to_string_pretty(self)
            .map_err(|error| ModelError::Misconfigured(format!("A recording cannot be written: {error}.")))?;
        text.push('\n');
        Ok(text)
    }

    /// Writes the file whole or not at all.
    pub fn write(&self, path: &Path) -> Result<(), ModelError> {
        let text = self.to_json()?;
        let folder = path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty())
            .unwrap_or(Path::new("."));
        let written = tempfile::NamedTempFile::new_in(folder).and_then(|mut file| {
            file.write_all(text.as_bytes())?;
            file.as_file().sync_all()?;
            file.persist(path).map_err(|error| error.error)
        });
        written.map(drop).map_err(|error| {
            ModelError::Misconfigured(format!(
                "The recording `{}` cannot be written: {error}.",
                path.display()
            ))
        })
    }

    /// One turn.
    pub fn turn(&self, position: Position) -> Option<&Turn> {
        let turn = usize::try_from(position.turn).ok()?;
        self.stages.get(&position.stage)?.turns.get(turn)
    }
}

impl Answer {
    /// The answer as a model gives it.
    pub fn response(&self, position: Position) -> ChatResponse {
        let text = match &self.json {
            Some(value) => pretty(&joined(value)),
            None => self.text.0.clone(),
        };
        let calls = self
            .calls
            .iter()
            .enumerate()
            .map(|(index, call)| ToolCall {
                id: call.id.clone().unwrap_or_else(|| call_id(position, index)),
                name: call.name.clone(),
                arguments: match &call.arguments {
                    Value::String(text) => text.clone(),
                    value => joined(value).to_string(),
                },
            })
            .collect();
        ChatResponse {
            text,
            calls,
            finish: self.finish.unwrap_or(Finish::Stop),
            usage: self.usage,
        }
    }

    /// The answer as the file keeps it: the same response comes back out of it.
    pub fn of(response: &ChatResponse, position: Position) -> Self {
        Self {
            text: Lines(response.text.clone()),
            json: None,
            calls: response
                .calls
                .iter()
                .enumerate()
                .map(|(index, call)| Call {
                    id: (call.id != call_id(position, index)).then(|| call.id.clone()),
                    name: call.name.clone(),
                    arguments: readable(&call.arguments),
                })
                .collect(),
            finish: Some(response.finish),
            usage: response.usage,
        }
    }

    /// The message that the answer becomes in the next request.
    pub fn message(&self, position: Position) -> Message {
        let response = self.response(position);
        Message::Assistant {
            text: response.text.into(),
            calls: response.calls,
        }
    }
}

fn call_id(position: Position, index: usize) -> String {
    format!("call_{}_{}_{index}", position.stage, position.turn)
}

/// Arguments as a value where that is the same text again, else as a string.
fn readable(arguments: &str) -> Value {
    let value = serde_json::from_str::<Value>(arguments).unwrap_or_default();
    // Compared as text: equal values may have been written differently.
    let again = joined(&value).to_string();
    if value.is_object() && again == arguments {
        value
    } else {
        Value::String(arguments.to_owned())
    }
}

fn pretty(value: &Value) -> String {
    format!("{value:#}")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    const AT: Position = Position {
        stage: Stage::Design,
        turn: 2,
    };

    #[test]
    fn a_hand_written_answer_is_filled_in() {
        let answer: Answer = serde_json::from_value(json!({
            "json": {"b": 1, "a": {"$lines": ["x", "y"]}},
            "calls": [{"name": "write", "arguments": {"content": {"$lines": ["1", "2"]}}}]
        }))
        .unwrap();
        let response = answer.response(AT);
        assert_eq!(response.text, "{\n  \"b\": 1,\n  \"a\": \"x\\ny\"\n}");
        assert_eq!(response.calls[0].id, "call_design_2_0");
        assert_eq!(response.calls[0].arguments, r#"{"content":"1\n2"}"#);
        assert_eq!(response.finish, Finish::Stop);
    }

    #[test]
    fn what_is_wrong_with_a_file_is_said() {
        let cases = [
            ("{", "EOF"),
            ("[]", "invalid"),
            (
                r#"{"format": "reprise-recording/2", "stages": 1}"#,
                "reprise-recording/1",
            ),
            (
                r#"{"format": "reprise-recording/1", "origin": "", "stages": {}, "stagse": 1}"#,
                "stagse",
            ),
            (
                r#"{"format": "reprise-recording/1", "origin": "", "stages": {"desing": {}}}"#,
                "desing",
            ),
        ];
        for (text, part) in cases {
            let error = Recording::parse("x.json", text.as_bytes())
                .unwrap_err()
                .to_string();
            assert!(
                error.contains(part) && error.contains("x.json"),
                "{text}: {error}"
            );
        }
    }

    proptest! {
        #[test]
        fn every_response_survives_the_file(
            text in "[a\\n\"]{0,6}",
            id in "call_design_2_0|x",
            arguments in prop_oneof!["\\{\"a\":1\\}", "\\{\"a\": 1\\}", "\\{\"\\$lines\":\\[\"x\"\\]\\}", "[a\\{\"]{0,4}", "7", "\"s\""],
            finish in prop_oneof![Just(Finish::Stop), Just(Finish::Length), Just(Finish::Refused)],
        ) {
            let response = ChatResponse {
                text,
                calls: vec![ToolCall { id, name: "t".into(), arguments }],
                finish,
                usage: Usage { input: 1, ..Usage::default() },
            };
            let written = serde_json::to_string(&Answer::of(&response, AT)).unwrap();
            let read: Answer = serde_json::from_str(&written).unwrap();
            prop_assert_eq!(read.response(AT), response);
        }
    }
}
