//! The body of a chat completion, written straight from the conversation.

use std::borrow::Cow;

use serde::de::IgnoredAny;
use serde::ser::{SerializeMap as _, SerializeSeq as _};
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::domain::conversation::ToolCall;
use crate::domain::digest::Digest;
use crate::domain::sampling::{Effort, Sampling};
use crate::domain::thoughts::{Dialect, Thoughts};
use crate::model::chat::{ChatRequest, Message, ToolSpec};
use crate::model::encoded::data_url;
use crate::model::form::AnswerForm;
use crate::model::name::Provider;

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
    fn of(form: &'a AnswerForm) -> Self {
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

struct Messages<'a>(Provider, &'a [Message]);

impl Serialize for Messages<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut sequence = serializer.serialize_seq(Some(self.1.len()))?;
        for message in self.1 {
            sequence.serialize_element(&Sent::of(self.0, message))?;
        }
        sequence.end()
    }
}

#[derive(Serialize)]
struct Sent<'a> {
    role: &'static str,
    /// Null beside calls: some servers refuse an empty text there.
    content: Option<Content<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_call_id: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_calls: Option<Calls<'a>>,
    /// What Gemini signed of the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    extra_content: Option<&'a Value>,
    /// What OpenRouter's provider thought.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    reasoning_details: Vec<&'a Value>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Content<'a> {
    Text(&'a str),
    Parts([Part<'a>; 2]),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Part<'a> {
    Text { text: &'a str },
    ImageUrl { image_url: Address },
}

#[derive(Serialize)]
struct Address {
    url: String,
}

impl<'a> Sent<'a> {
    fn of(provider: Provider, message: &'a Message) -> Self {
        let plain = |role, content| Self {
            role,
            content: Some(Content::Text(content)),
            tool_call_id: None,
            tool_calls: None,
            extra_content: None,
            reasoning_details: Vec::new(),
        };
        match message {
            Message::System { text } => plain("system", text),
            Message::User { text } => plain("user", text),
            Message::Pictured { text, picture } => Self {
                content: Some(Content::Parts([
                    Part::Text { text },
                    Part::ImageUrl {
                        image_url: Address {
                            url: data_url(picture),
                        },
                    },
                ])),
                ..plain("user", text)
            },
            Message::Assistant {
                text,
                calls,
                thoughts,
            } => {
                let thoughts = thoughts.as_deref();
                let first = |from, dialect| {
                    thoughts
                        .filter(|_| provider == from)
                        .into_iter()
                        .flat_map(move |thoughts| thoughts.before(dialect, 0))
                };
                let before_calls = usize::from(!text.is_empty());
                Self {
                    content: (calls.is_empty() || !text.is_empty()).then_some(Content::Text(text)),
                    tool_calls: (!calls.is_empty()).then_some(Calls {
                        provider,
                        calls,
                        thoughts,
                        before: before_calls,
                    }),
                    extra_content: first(Provider::Gemini, Dialect::Gemini)
                        .next()
                        .filter(|_| before_calls == 1),
                    reasoning_details: first(Provider::OpenRouter, Dialect::OpenRouter).collect(),
                    ..plain("assistant", text)
                }
            }
            Message::Tool { call, text, .. } => Self {
                tool_call_id: Some(call_id(provider, call)),
                ..plain("tool", text)
            },
        }
    }
}

/// Length of Mistral's ids of calls.
const MISTRAL_ID: usize = 9;

/// The id of a call as the provider takes it: Mistral refuses all but nine
/// letters and digits, which ids of our own are not.
fn call_id(provider: Provider, id: &str) -> Cow<'_, str> {
    let fits = id.len() == MISTRAL_ID && id.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if provider != Provider::Mistral || fits {
        return Cow::Borrowed(id);
    }
    let digest = Digest::of(id).hex();
    Cow::Owned(digest.chars().take(MISTRAL_ID).collect())
}

struct Calls<'a> {
    provider: Provider,
    calls: &'a [ToolCall],
    thoughts: Option<&'a Thoughts>,
    /// Parts of the message that stand before its calls.
    before: usize,
}

impl<'a> Calls<'a> {
    /// What Gemini put beside a call. It signs the first of several alone; a
    /// message that it never signed came from elsewhere.
    fn extra(&self, index: usize) -> Option<Extra<'a>> {
        if self.provider != Provider::Gemini {
            return None;
        }
        match self
            .thoughts
            .filter(|thoughts| thoughts.dialect == Dialect::Gemini)
        {
            Some(thoughts) => thoughts
                .before(Dialect::Gemini, self.before + index)
                .next()
                .map(Extra::Signed),
            None => Some(UNSIGNED),
        }
    }
}

impl Serialize for Calls<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.calls.iter().enumerate().map(|(index, call)| SentCall {
            id: call_id(self.provider, &call.id),
            kind: "function",
            extra_content: self.extra(index),
            function: SentFunction {
                name: &call.name,
                arguments: object_text(&call.arguments),
            },
        }))
    }
}

#[derive(Serialize)]
struct SentCall<'a> {
    id: Cow<'a, str>,
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    extra_content: Option<Extra<'a>>,
    function: SentFunction<'a>,
}

#[derive(Serialize)]
struct SentFunction<'a> {
    name: &'a str,
    arguments: Cow<'a, str>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Extra<'a> {
    Signed(&'a Value),
    Unsigned { google: Google },
}

#[derive(Serialize)]
struct Google {
    thought_signature: &'static str,
}

/// Gemini 3 turns down a call without the signature of the thought before it.
/// This is the text that its reference gives for calls that come from elsewhere,
/// as those of a recording do.
const UNSIGNED: Extra<'static> = Extra::Unsigned {
    google: Google {
        thought_signature: "skip_thought_signature_validator",
    },
};

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
