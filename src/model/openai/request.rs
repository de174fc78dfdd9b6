//! The body of a chat completion, written straight from the conversation.

use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::domain::sampling::{Effort, Sampling};
use crate::model::chat::{ChatRequest, ToolSpec};
use crate::model::name::Provider;
use crate::model::response_schema::ResponseSchema;

use super::messages::Messages;

/// The body as it is sent; borrows everything.
#[derive(Clone, Copy)]
pub struct Body<'a> {
    pub provider: Provider,
    pub model: &'a str,
    pub sampling: &'a Sampling,
    pub streamed: bool,
    /// Whether the model can be held to the form that the request names.
    pub keeps_forms: bool,
    pub request: &'a ChatRequest,
}

impl Serialize for Body<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("model", self.model)?;
        map.serialize_entry("messages", &Messages(self.provider, &self.request.messages))?;
        if !self.request.tools.is_empty() {
            map.serialize_entry("tools", &Tools(&self.request.tools))?;
        }
        if let Some(most) = self.request.max_output_tokens {
            map.serialize_entry(most_tokens(self.provider), &most)?;
        }
        if let Some(temperature) = self.sampling.temperature {
            map.serialize_entry("temperature", &temperature)?;
        }
        if let Some(seed) = self.sampling.seed {
            let name = if self.provider == Provider::Mistral {
                "random_seed"
            } else {
                "seed"
            };
            map.serialize_entry(name, &seed)?;
        }
        if let Some(effort) = self.sampling.effort {
            match self.provider {
                Provider::OpenRouter => map.serialize_entry("reasoning", &Reasoning { effort })?,
                _ => map.serialize_entry("reasoning_effort", &effort)?,
            }
        }
        if let Some(form) = self.request.form.as_ref().filter(|_| self.keeps_forms) {
            map.serialize_entry("response_format", &ResponseFormat::of(form))?;
        }
        // Servers that only follow its interface may refuse the name.
        if self.provider == Provider::OpenAi {
            map.serialize_entry("prompt_cache_key", &self.request.cache_key())?;
        }
        map.serialize_entry("stream", &self.streamed)?;
        // Mistral counts the tokens of every stream, and knows no such option.
        if self.streamed && self.provider != Provider::Mistral {
            map.serialize_entry("stream_options", &StreamOptions { include_usage: true })?;
        }
        map.end()
    }
}

/// Reasoning models of OpenAI refuse the old name, and servers that only follow
/// its interface may ignore the new one.
fn most_tokens(provider: Provider) -> &'static str {
    match provider {
        Provider::OpenAi | Provider::Azure => "max_completion_tokens",
        _ => "max_tokens",
    }
}

/// How hard to think, for the interfaces that take it as an object.
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
    fn of(form: &'a ResponseSchema) -> Self {
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
        let body = Body {
            provider: Provider::OpenAi,
            model: "m",
            sampling: &Sampling {
                temperature: Some(0.0),
                ..Sampling::default()
            },
            streamed: false,
            keeps_forms: true,
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
