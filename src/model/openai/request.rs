//! The body of a chat completion, written straight from the conversation.

use std::borrow::Cow;

use serde::de::IgnoredAny;
use serde::ser::{SerializeMap as _, SerializeSeq as _};
use serde::{Serialize, Serializer};

use crate::domain::conversation::ToolCall;
use crate::model::chat::{ChatRequest, Message, ToolSpec};
use crate::model::name::Provider;

/// How answers are drawn, where the provider lets one choose.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Sampling {
    pub temperature: Option<f64>,
    pub seed: Option<u64>,
    /// `low`, `medium`, `high` or what else the model knows.
    pub reasoning_effort: Option<String>,
}

/// The body as it is sent; borrows everything.
#[derive(Clone, Copy)]
pub struct Body<'a> {
    pub provider: Provider,
    pub model: &'a str,
    pub sampling: &'a Sampling,
    pub streamed: bool,
    pub request: &'a ChatRequest,
}

impl Serialize for Body<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("model", self.model)?;
        map.serialize_entry("messages", &Messages(&self.request.messages))?;
        if !self.request.tools.is_empty() {
            map.serialize_entry("tools", &Tools(&self.request.tools))?;
        }
        if let Some(most) = self.request.max_output_tokens {
            // Reasoning models of OpenAI refuse the old name, and servers that
            // only follow its interface may ignore the new one.
            let name = match self.provider {
                Provider::OpenAi | Provider::Azure => "max_completion_tokens",
                _ => "max_tokens",
            };
            map.serialize_entry(name, &most)?;
        }
        if let Some(temperature) = self.sampling.temperature {
            map.serialize_entry("temperature", &temperature)?;
        }
        if let Some(seed) = self.sampling.seed {
            map.serialize_entry("seed", &seed)?;
        }
        if let Some(effort) = &self.sampling.reasoning_effort {
            map.serialize_entry("reasoning_effort", effort)?;
        }
        // Servers that only follow its interface may refuse the name.
        if self.provider == Provider::OpenAi {
            map.serialize_entry("prompt_cache_key", &self.request.cache_key())?;
        }
        map.serialize_entry("stream", &self.streamed)?;
        if self.streamed {
            map.serialize_entry("stream_options", &StreamOptions { include_usage: true })?;
        }
        map.end()
    }
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

struct Messages<'a>(&'a [Message]);

impl Serialize for Messages<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut sequence = serializer.serialize_seq(Some(self.0.len()))?;
        for message in self.0 {
            sequence.serialize_element(&Sent::of(message))?;
        }
        sequence.end()
    }
}

#[derive(Serialize)]
struct Sent<'a> {
    role: &'static str,
    /// Null beside calls: some servers refuse an empty text there.
    content: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_call_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_calls: Option<Calls<'a>>,
}

impl<'a> Sent<'a> {
    fn of(message: &'a Message) -> Self {
        let plain = |role, content| Self {
            role,
            content: Some(content),
            tool_call_id: None,
            tool_calls: None,
        };
        match message {
            Message::System { text } => plain("system", text),
            Message::User { text } => plain("user", text),
            Message::Assistant { text, calls } => Self {
                content: (calls.is_empty() || !text.is_empty()).then_some(text),
                tool_calls: (!calls.is_empty()).then_some(Calls(calls)),
                ..plain("assistant", text)
            },
            Message::Tool { call, text, .. } => Self {
                tool_call_id: Some(call),
                ..plain("tool", text)
            },
        }
    }
}

struct Calls<'a>(&'a [ToolCall]);

impl Serialize for Calls<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(|call| SentCall {
            id: &call.id,
            kind: "function",
            function: SentFunction {
                name: &call.name,
                arguments: object_text(&call.arguments),
            },
        }))
    }
}

#[derive(Serialize)]
struct SentCall<'a> {
    id: &'a str,
    #[serde(rename = "type")]
    kind: &'static str,
    function: SentFunction<'a>,
}

#[derive(Serialize)]
struct SentFunction<'a> {
    name: &'a str,
    arguments: Cow<'a, str>,
}

/// Arguments as the text of a JSON object, which chat templates insist on.
/// What a model wrote otherwise is sent back to it as `{"unreadable": TEXT}`.
pub fn object_text(arguments: &str) -> Cow<'_, str> {
    let object =
        arguments.trim_start().starts_with('{') && serde_json::from_str::<IgnoredAny>(arguments).is_ok();
    if object {
        Cow::Borrowed(arguments)
    } else {
        Cow::Owned(serde_json::json!({ "unreadable": arguments }).to_string())
    }
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
    use crate::domain::conversation::Position;
    use crate::domain::stage::Stage;

    #[test]
    fn a_conversation_is_written_as_the_interface_wants_it() {
        let call = |id: &str, arguments: &str| ToolCall {
            id: id.into(),
            name: "read".into(),
            arguments: arguments.into(),
        };
        let request = ChatRequest {
            position: Position {
                stage: Stage::Extract,
                turn: 0,
            },
            messages: vec![
                Message::System { text: "s".into() },
                Message::User { text: "u\"\n".into() },
                Message::Assistant {
                    text: "".into(),
                    calls: vec![call("c1", r#"{"p":1}"#), call("c2", "{broken")],
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
                },
            ],
            tools: vec![ToolSpec {
                name: "read".into(),
                description: "Reads.".into(),
                parameters: json!({"type": "object"}),
            }]
            .into(),
            max_output_tokens: Some(9),
        };
        let body = Body {
            provider: Provider::OpenAi,
            model: "m",
            sampling: &Sampling {
                temperature: Some(0.0),
                ..Sampling::default()
            },
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
