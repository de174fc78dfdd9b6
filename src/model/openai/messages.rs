//! A conversation as the messages of a chat completion.

use std::borrow::Cow;

use serde::de::IgnoredAny;
use serde::ser::SerializeSeq as _;
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::domain::conversation::ToolCall;
use crate::domain::digest::Digest;
use crate::domain::reasoning::{Reasoning, ReasoningFormat};
use crate::model::chat::Message;
use crate::model::encoded::data_url;

use super::quirks::Quirks;

/// All messages, as a provider takes them.
pub struct Messages<'a> {
    pub quirks: Quirks,
    pub messages: &'a [Message],
}

impl Serialize for Messages<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut sequence = serializer.serialize_seq(Some(self.messages.len()))?;
        for message in self.messages {
            sequence.serialize_element(&Sent::new(self.quirks, message))?;
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
    fn new(quirks: Quirks, message: &'a Message) -> Self {
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
                let first = |format| {
                    thoughts
                        .filter(|_| quirks.reasoning == Some(format))
                        .into_iter()
                        .flat_map(move |thoughts| thoughts.before(format, 0))
                };
                let before_calls = usize::from(!text.is_empty());
                Self {
                    content: (calls.is_empty() || !text.is_empty()).then_some(Content::Text(text)),
                    tool_calls: (!calls.is_empty()).then_some(Calls {
                        quirks,
                        calls,
                        thoughts,
                        before: before_calls,
                    }),
                    extra_content: first(ReasoningFormat::Gemini)
                        .next()
                        .filter(|_| before_calls == 1),
                    reasoning_details: first(ReasoningFormat::OpenRouter).collect(),
                    ..plain("assistant", text)
                }
            }
            Message::Tool { call, text, .. } => Self {
                tool_call_id: Some(call_id(quirks.call_id_length, call)),
                ..plain("tool", text)
            },
        }
    }
}

/// The id of a call as the provider takes it: ids of our own are neither as short as
/// some want them, nor letters and digits alone.
fn call_id(length: Option<usize>, id: &str) -> Cow<'_, str> {
    let fits = |length| id.len() == length && id.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let Some(length) = length.filter(|length| !fits(*length)) else {
        return Cow::Borrowed(id);
    };
    let digest = Digest::compute(id).hex();
    Cow::Owned(digest.chars().take(length).collect())
}

struct Calls<'a> {
    quirks: Quirks,
    calls: &'a [ToolCall],
    thoughts: Option<&'a Reasoning>,
    /// Parts of the message that stand before its calls.
    before: usize,
}

impl<'a> Calls<'a> {
    /// What Gemini put beside a call. It signs the first of several alone; a
    /// message that it never signed came from elsewhere.
    fn extra(&self, index: usize) -> Option<Extra<'a>> {
        if self.quirks.reasoning != Some(ReasoningFormat::Gemini) {
            return None;
        }
        match self
            .thoughts
            .filter(|thoughts| thoughts.dialect == ReasoningFormat::Gemini)
        {
            Some(thoughts) => thoughts
                .before(ReasoningFormat::Gemini, self.before + index)
                .next()
                .map(Extra::Signed),
            None => Some(UNSIGNED),
        }
    }
}

impl Serialize for Calls<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.calls.iter().enumerate().map(|(index, call)| SentCall {
            id: call_id(self.quirks.call_id_length, &call.id),
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
