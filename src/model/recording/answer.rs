//! An answer, as the file of a recording writes it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::domain::conversation::{ChatResponse, Finish, Position, ToolCall};
use crate::domain::usage::Usage;
use crate::model::chat::Message;
use crate::model::recording::lines::{Lines, joined};

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

fn is_empty(lines: &Lines) -> bool {
    lines.0.is_empty()
}

fn is_stop(finish: &Option<Finish>) -> bool {
    matches!(finish, None | Some(Finish::Stop))
}

fn is_nothing(usage: &Usage) -> bool {
    *usage == Usage::default()
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
            thoughts: None,
        }
    }

    /// The answer as the file keeps it: the same response comes back out of it.
    pub fn from_response(response: &ChatResponse, position: Position) -> Self {
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
            thoughts: None,
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
    use crate::domain::stage::Stage;

    const AT: Position = Position {
        stage: Stage::DESIGN,
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
                thoughts: None,
            };
            let written = serde_json::to_string(&Answer::from_response(&response, AT)).unwrap();
            let read: Answer = serde_json::from_str(&written).unwrap();
            prop_assert_eq!(read.response(AT), response);
        }
    }
}
