//! A conversation as the messages of a chat completion.

use std::borrow::Cow;

use async_openai::types::chat::{
    ChatCompletionRequestMessage, ChatCompletionRequestMessageContentPartImage,
    ChatCompletionRequestMessageContentPartText, ChatCompletionRequestSystemMessage,
    ChatCompletionRequestToolMessage, ChatCompletionRequestUserMessage,
    ChatCompletionRequestUserMessageContent, ChatCompletionRequestUserMessageContentPart, FunctionCall,
    ImageUrl, Role,
};
use serde::de::IgnoredAny;
use serde::ser::SerializeSeq as _;
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::domain::conversation::ToolCall;
use crate::domain::digest::Digest;
use crate::domain::excerpt;
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
#[serde(untagged)]
enum Sent<'a> {
    Plain(ChatCompletionRequestMessage),
    Assistant(SentAssistant<'a>),
}

/// A message of the model's own, with what providers of other models want back beside it.
#[derive(Serialize)]
struct SentAssistant<'a> {
    role: Role,
    /// Null beside calls: some servers refuse an empty text there.
    content: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_calls: Option<Calls<'a>>,
    /// What Gemini signed of the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    extra_content: Option<&'a Value>,
    /// What OpenRouter's provider thought.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    reasoning_details: Vec<&'a Value>,
}

impl<'a> Sent<'a> {
    fn new(quirks: Quirks, message: &'a Message) -> Self {
        match message {
            Message::System { text } => Self::Plain(ChatCompletionRequestMessage::System(
                ChatCompletionRequestSystemMessage::from(&**text),
            )),
            Message::User { text } => Self::Plain(ChatCompletionRequestMessage::User(
                ChatCompletionRequestUserMessage::from(&**text),
            )),
            Message::Pictured { text, picture } => {
                let parts = vec![
                    ChatCompletionRequestUserMessageContentPart::Text(
                        ChatCompletionRequestMessageContentPartText::from(&**text),
                    ),
                    ChatCompletionRequestUserMessageContentPart::ImageUrl(
                        ChatCompletionRequestMessageContentPartImage {
                            image_url: ImageUrl {
                                url: data_url(picture),
                                detail: None,
                            },
                            prompt_cache_breakpoint: None,
                        },
                    ),
                ];
                Self::Plain(ChatCompletionRequestMessage::User(
                    ChatCompletionRequestUserMessage {
                        content: ChatCompletionRequestUserMessageContent::Array(parts),
                        name: None,
                    },
                ))
            }
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
                Self::Assistant(SentAssistant {
                    role: Role::Assistant,
                    content: (calls.is_empty() || !text.is_empty()).then_some(text),
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
                })
            }
            Message::Tool { call, text, .. } => Self::Plain(ChatCompletionRequestMessage::Tool(
                ChatCompletionRequestToolMessage {
                    content: (&**text).into(),
                    tool_call_id: call_id(quirks.call_id_length, call).into_owned(),
                },
            )),
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
    Cow::Owned(excerpt::start(&digest, length).to_owned())
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
            function: FunctionCall {
                name: call.name.clone(),
                arguments: object_text(&call.arguments).into_owned(),
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
    function: FunctionCall,
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
fn object_text(arguments: &str) -> Cow<'_, str> {
    let object =
        arguments.trim_start().starts_with('{') && serde_json::from_str::<IgnoredAny>(arguments).is_ok();
    if object {
        Cow::Borrowed(arguments)
    } else {
        Cow::Owned(serde_json::json!({ "unreadable": arguments }).to_string())
    }
}
