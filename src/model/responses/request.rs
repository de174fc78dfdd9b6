//! The body of a request, written straight from the conversation.

use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::domain::reasoning::ReasoningFormat;
use crate::model::chat::{ChatRequest, Message, ToolSpec};
use crate::model::connection::Connection;
use crate::model::encoded::data_url;
use crate::model::openai::request::Reasoning;
use crate::model::response_schema::ResponseSchema;

/// The body as it is sent; borrows everything.
#[derive(Clone, Copy)]
pub struct Body<'a> {
    pub connection: &'a Connection,
    /// Whether the provider is told which requests share a beginning.
    pub prompt_cache_key: bool,
    pub streamed: bool,
    pub request: &'a ChatRequest,
}

#[derive(Serialize)]
struct TextOptions<'a> {
    format: Format<'a>,
}

#[derive(Serialize)]
struct Format<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    name: &'a str,
    schema: &'a Value,
    /// The strict mode takes only some schemas.
    strict: bool,
}

impl<'a> TextOptions<'a> {
    fn new(form: &'a ResponseSchema) -> Self {
        Self {
            format: Format {
                kind: "json_schema",
                name: &form.name,
                schema: &form.schema,
                strict: form.is_strict(),
            },
        }
    }
}

impl Serialize for Body<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let sampling = &self.connection.sampling;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("model", &self.connection.model)?;
        let input: Vec<Item<'_>> = self
            .request
            .messages
            .iter()
            .flat_map(Item::from_message)
            .collect();
        map.serialize_entry("input", &input)?;
        if !self.request.tools.is_empty() {
            let tools: Vec<_> = self.request.tools.iter().map(Tool::new).collect();
            map.serialize_entry("tools", &tools)?;
        }
        if let Some(most) = self.request.max_output_tokens {
            map.serialize_entry("max_output_tokens", &most)?;
        }
        if let Some(temperature) = sampling.temperature {
            map.serialize_entry("temperature", &temperature)?;
        }
        if let Some(top_p) = sampling.top_p {
            map.serialize_entry("top_p", &top_p)?;
        }
        if let Some(effort) = sampling.effort {
            map.serialize_entry("reasoning", &Reasoning { effort })?;
        }
        if let Some(form) = self
            .request
            .form
            .as_ref()
            .filter(|_| self.connection.keeps_schemas())
        {
            map.serialize_entry("text", &TextOptions::new(form))?;
        }
        if self.prompt_cache_key {
            map.serialize_entry("prompt_cache_key", &self.request.cache_key())?;
        }
        // Thoughts come encrypted, to be sent back.
        if self.connection.reasons() {
            map.serialize_entry("include", &["reasoning.encrypted_content"])?;
        }
        map.serialize_entry("store", &false)?;
        map.serialize_entry("stream", &self.streamed)?;
        map.end()
    }
}

#[derive(Serialize)]
#[serde(untagged)]
enum Item<'a> {
    Message {
        role: &'static str,
        content: &'a str,
    },
    /// A text of the model's own. Some servers take none without its type.
    Said {
        #[serde(rename = "type")]
        kind: &'static str,
        role: &'static str,
        content: &'a str,
    },
    Pictured {
        role: &'static str,
        content: [Part<'a>; 2],
    },
    Call {
        #[serde(rename = "type")]
        kind: &'static str,
        call_id: &'a str,
        name: &'a str,
        arguments: &'a str,
    },
    Output {
        #[serde(rename = "type")]
        kind: &'static str,
        call_id: &'a str,
        output: &'a str,
    },
    /// An item of the provider's own, as it came.
    Thought(&'a Value),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Part<'a> {
    InputText { text: &'a str },
    InputImage { image_url: String },
}

impl<'a> Item<'a> {
    fn from_message(message: &'a Message) -> Vec<Self> {
        let plain = |role, content| Self::Message { role, content };
        match message {
            Message::System { text } => vec![plain("system", text)],
            Message::User { text } => vec![plain("user", text)],
            Message::Pictured { text, picture } => vec![Self::Pictured {
                role: "user",
                content: [
                    Part::InputText { text },
                    Part::InputImage {
                        image_url: data_url(picture),
                    },
                ],
            }],
            Message::Assistant {
                text,
                calls,
                thoughts,
            } => {
                let said = (!text.is_empty()).then(|| Self::Said {
                    kind: "message",
                    role: "assistant",
                    content: text,
                });
                let calls = calls.iter().map(|call| Self::Call {
                    kind: "function_call",
                    call_id: &call.id,
                    name: &call.name,
                    arguments: &call.arguments,
                });
                let parts = said.into_iter().chain(calls).enumerate();
                let behind_thoughts = parts.flat_map(|(place, part)| {
                    let before = thoughts
                        .iter()
                        .flat_map(move |thoughts| thoughts.before(ReasoningFormat::Responses, place));
                    before.map(Self::Thought).chain([part])
                });
                behind_thoughts.collect()
            }
            Message::Tool { call, text, .. } => vec![Self::Output {
                kind: "function_call_output",
                call_id: call,
                output: text,
            }],
        }
    }
}

#[derive(Serialize)]
struct Tool<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    name: &'a str,
    description: &'a str,
    parameters: &'a Value,
    /// The strict mode takes only some schemas.
    strict: bool,
}

impl<'a> Tool<'a> {
    fn new(tool: &'a ToolSpec) -> Self {
        Self {
            kind: "function",
            name: &tool.name,
            description: &tool.description,
            parameters: &tool.parameters,
            strict: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::domain::conversation::{Position, ToolCall};
    use crate::domain::sampling::Effort;
    use crate::domain::stage::Stage;
    use crate::model::connection::on_loopback;
    use crate::model::providers::openai::OPENAI;

    #[test]
    fn a_conversation_becomes_a_list_of_items() {
        let request = ChatRequest {
            position: Position {
                stage: Stage::EXTRACT,
                turn: 0,
            },
            messages: vec![
                Message::System { text: "s".into() },
                Message::User { text: "u".into() },
                Message::Assistant {
                    text: "".into(),
                    calls: vec![ToolCall {
                        id: "a".into(),
                        name: "read".into(),
                        arguments: "{}".into(),
                    }],
                    thoughts: None,
                },
                Message::Tool {
                    call: "a".into(),
                    name: "read".into(),
                    text: "seen".into(),
                    stable: None,
                },
                Message::Assistant {
                    text: "done".into(),
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
            max_output_tokens: Some(5),
            form: None,
        };
        let mut connection = on_loopback(&OPENAI);
        connection.sampling.effort = Some(Effort::Low);
        connection.sampling.top_p = Some(0.5);
        let body = Body {
            connection: &connection,
            prompt_cache_key: true,
            streamed: false,
            request: &request,
        };
        assert_eq!(
            serde_json::to_value(body).unwrap(),
            json!({
                "model": "m",
                "input": [
                    {"role": "system", "content": "s"},
                    {"role": "user", "content": "u"},
                    {"type": "function_call", "call_id": "a", "name": "read", "arguments": "{}"},
                    {"type": "function_call_output", "call_id": "a", "output": "seen"},
                    {"type": "message", "role": "assistant", "content": "done"}
                ],
                "tools": [{"type": "function", "name": "read", "description": "Reads.", "parameters": {"type": "object"}, "strict": false}],
                "max_output_tokens": 5,
                "top_p": 0.5,
                "reasoning": {"effort": "low"},
                "prompt_cache_key": request.cache_key(),
                "store": false,
                "stream": false
            })
        );
    }
}
