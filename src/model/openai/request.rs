//! The body of a chat completion, written straight from the conversation.

use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::domain::sampling::Effort;
use crate::model::chat::{ChatRequest, ToolSpec};
use crate::model::connection::Connection;
use crate::model::response_schema::ResponseSchema;

use super::messages::Messages;
use super::quirks::Quirks;

/// The body as it is sent; borrows everything.
#[derive(Clone, Copy)]
pub struct Body<'a> {
    pub connection: &'a Connection,
    pub quirks: Quirks,
    pub streamed: bool,
    pub request: &'a ChatRequest,
}

impl Serialize for Body<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let sampling = &self.connection.sampling;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("model", &self.connection.model)?;
        let messages = Messages {
            quirks: self.quirks,
            messages: &self.request.messages,
        };
        map.serialize_entry("messages", &messages)?;
        if !self.request.tools.is_empty() {
            map.serialize_entry("tools", &Tools(&self.request.tools))?;
        }
        if let Some(most) = self.request.max_output_tokens {
            map.serialize_entry(self.quirks.output_limit, &most)?;
        }
        if let Some(temperature) = sampling.temperature {
            map.serialize_entry("temperature", &temperature)?;
        }
        if let Some(seed) = sampling.seed {
            map.serialize_entry(self.quirks.seed, &seed)?;
        }
        if let Some(effort) = sampling.effort {
            match self.quirks.nested_effort {
                true => map.serialize_entry("reasoning", &Reasoning { effort })?,
                false => map.serialize_entry("reasoning_effort", &effort)?,
            }
        }
        if let Some(form) = self
            .request
            .form
            .as_ref()
            .filter(|_| self.connection.keeps_schemas())
        {
            map.serialize_entry("response_format", &ResponseFormat::new(form))?;
        }
        if self.quirks.prompt_cache_key {
            map.serialize_entry("prompt_cache_key", &self.request.cache_key())?;
        }
        map.serialize_entry("stream", &self.streamed)?;
        if self.streamed && self.quirks.stream_options {
            map.serialize_entry("stream_options", &StreamOptions { include_usage: true })?;
        }
        map.end()
    }
}

/// The reasoning effort, for the interfaces that take it as an object.
#[derive(Serialize)]
pub struct Reasoning {
    pub effort: Effort,
}

#[derive(Serialize)]
struct ResponseFormat<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    json_schema: Form<'a>,
}

#[derive(Serialize)]
struct Form<'a> {
    name: &'a str,
    schema: &'a Value,
    /// The strict mode takes only some schemas.
    strict: bool,
}

impl<'a> ResponseFormat<'a> {
    fn new(form: &'a ResponseSchema) -> Self {
        Self {
            kind: "json_schema",
            json_schema: Form {
                name: &form.name,
                schema: &form.schema,
                strict: form.is_strict(),
            },
        }
    }
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

struct Tools<'a>(&'a [ToolSpec]);

impl Serialize for Tools<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(|tool| SentTool {
            kind: "function",
            function: tool,
        }))
    }
}

#[derive(Serialize)]
struct SentTool<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    function: &'a ToolSpec,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::domain::conversation::{Position, ToolCall};
    use crate::domain::stage::Stage;
    use crate::model::chat::Message;
    use crate::model::connection::on_loopback;
    use crate::model::providers::openai::{self, OPENAI};

    #[test]
    fn a_conversation_is_written_as_the_interface_wants_it() {
        let call = |id: &str, arguments: &str| ToolCall {
            id: id.into(),
            name: "read".into(),
            arguments: arguments.into(),
        };
        let request = ChatRequest {
            position: Position {
                stage: Stage::EXTRACT,
                turn: 0,
            },
            messages: vec![
                Message::System { text: "s".into() },
                Message::User { text: "u\"\n".into() },
                Message::Assistant {
                    text: "".into(),
                    calls: vec![call("c1", r#"{"p":1}"#), call("c2", "{broken")],
                    thoughts: None,
                },
                Message::Tool {
                    call: "c1".into(),
                    name: "read".into(),
                    text: "seen".into(),
                    stable: Some("hidden".into()),
                },
                Message::Assistant {
                    text: "".into(),
                    calls: vec![],
                    thoughts: None,
                },
            ],
            tools: vec![ToolSpec {
                name: "read".into(),
                description: "Reads.".into(),
                parameters: json!({"type": "object"}),
            }]
            .into(),
            max_output_tokens: Some(9),
            form: None,
        };
        let mut connection = on_loopback(&OPENAI);
        connection.sampling.temperature = Some(0.0);
        let body = Body {
            connection: &connection,
            quirks: openai::QUIRKS,
            streamed: false,
            request: &request,
        };
        assert_eq!(
            serde_json::to_value(body).unwrap(),
            json!({
                "model": "m",
                "messages": [
                    {"role": "system", "content": "s"},
                    {"role": "user", "content": "u\"\n"},
                    {"role": "assistant", "content": null, "tool_calls": [
                        {"id": "c1", "type": "function", "function": {"name": "read", "arguments": "{\"p\":1}"}},
                        {"id": "c2", "type": "function", "function": {"name": "read", "arguments": "{\"unreadable\":\"{broken\"}"}}
                    ]},
                    {"role": "tool", "content": "seen", "tool_call_id": "c1"},
                    {"role": "assistant", "content": ""}
                ],
                "tools": [{"type": "function", "function": {"name": "read", "description": "Reads.", "parameters": {"type": "object"}}}],
                "max_completion_tokens": 9,
                "temperature": 0.0,
                "prompt_cache_key": request.cache_key(),
                "stream": false
            })
        );
    }
}
