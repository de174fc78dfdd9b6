//! The body of a chat completion, in the types of `async-openai` where all providers take them.

use async_openai::types::chat::{
    ChatCompletionStreamOptions, ChatCompletionTool, ChatCompletionTools, FunctionObject, ResponseFormat,
    ResponseFormatJsonSchema,
};
use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};

use crate::domain::sampling::Effort;
use crate::model::chat::{ChatRequest, ToolSpec};
use crate::model::connection::Connection;
use crate::model::response_schema::ResponseSchema;

use super::messages::Messages;
use super::quirks::Quirks;

/// The body as it is sent. It is written key by key, since providers depart from the names and keys of
/// their `CreateChatCompletionRequest`, which knows no other ones.
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
        if let Some(top_p) = sampling.top_p {
            map.serialize_entry("top_p", &top_p)?;
        }
        if !sampling.stop.is_empty() {
            map.serialize_entry("stop", &sampling.stop)?;
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
            map.serialize_entry("response_format", &response_format(form))?;
        }
        if self.quirks.prompt_cache_key {
            map.serialize_entry("prompt_cache_key", &self.request.cache_key())?;
        }
        map.serialize_entry("stream", &self.streamed)?;
        if self.streamed && self.quirks.stream_options {
            let options = ChatCompletionStreamOptions {
                include_usage: Some(true),
                include_obfuscation: None,
            };
            map.serialize_entry("stream_options", &options)?;
        }
        map.end()
    }
}

/// The reasoning effort, for the interfaces that take it as an object.
#[derive(Serialize)]
pub struct Reasoning {
    pub effort: Effort,
}

fn response_format(form: &ResponseSchema) -> ResponseFormat {
    ResponseFormat::JsonSchema {
        json_schema: ResponseFormatJsonSchema {
            description: None,
            name: form.name.clone(),
            schema: form.schema.clone(),
            // The strict mode takes only some schemas.
            strict: Some(form.is_strict()),
        },
    }
}

struct Tools<'a>(&'a [ToolSpec]);

impl Serialize for Tools<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(|tool| {
            ChatCompletionTools::Function(ChatCompletionTool {
                function: FunctionObject {
                    name: tool.name.clone(),
                    description: Some(tool.description.clone()),
                    parameters: Some(tool.parameters.clone()),
                    strict: None,
                },
            })
        }))
    }
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
        connection.sampling.top_p = Some(0.5);
        connection.sampling.stop = vec!["</content>".to_owned()].try_into().unwrap();
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
                "top_p": 0.5,
                "stop": ["</content>"],
                "prompt_cache_key": request.cache_key(),
                "stream": false
            })
        );
    }
}
