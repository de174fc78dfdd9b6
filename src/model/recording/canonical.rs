//! The canonical form of a request in a recording, and its digest.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::domain::conversation::ToolCall;
use crate::domain::digest::Digest;
use crate::domain::picture::Picture;
use crate::model::chat::{Message, ToolSpec};
use crate::model::layers::spend_account::LEFT;
use crate::model::recording::lines::Lines;

/// A message as a recording keeps it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "lowercase", deny_unknown_fields)]
pub enum Canonical {
    System {
        text: Lines,
    },
    User {
        text: Lines,
    },
    Pictured {
        text: Lines,
        picture: Picture,
    },
    Assistant {
        text: Lines,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        calls: Vec<ToolCall>,
    },
    Tool {
        call: String,
        name: String,
        text: Lines,
    },
    /// The assistant message that the answer of the turn before became.
    Answer {},
}

impl Canonical {
    /// The canonical form of a message.
    pub fn from_message(message: &Message) -> Self {
        let lines = |text: &Arc<str>| Lines(text.to_string());
        match message {
            Message::System { text } => Self::System { text: lines(text) },
            Message::User { text } => Self::User {
                text: Lines(compared(text).to_owned()),
            },
            Message::Pictured { text, picture } => Self::Pictured {
                text: lines(text),
                picture: picture.clone(),
            },
            Message::Assistant { text, calls, .. } => Self::Assistant {
                text: lines(text),
                calls: calls.clone(),
            },
            Message::Tool {
                call,
                name,
                text,
                stable,
            } => Self::Tool {
                call: call.clone(),
                name: name.clone(),
                text: lines(stable.as_ref().unwrap_or(text)),
            },
        }
    }
}

/// A prompt without its last line where that says what is left of a budget.
fn compared(text: &str) -> &str {
    match text.rsplit_once('\n') {
        Some((before, last)) if last.starts_with(LEFT) => before,
        _ => text,
    }
}

/// A tool as a recording keeps it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CanonicalTool {
    pub name: String,
    /// Digest of the description and the schema of the arguments.
    pub schema: Digest,
}

impl CanonicalTool {
    /// The canonical form of the tools on offer, in order.
    pub fn all(tools: &[ToolSpec]) -> Vec<Self> {
        tools
            .iter()
            .map(|tool| Self {
                name: tool.name.clone(),
                schema: Digest::compute_json(&(&tool.description, sorted(&tool.parameters))),
            })
            .collect()
    }
}

/// A schema with its keys sorted, since their order means nothing.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let mut entries: Vec<_> = fields.iter().collect();
            entries.sort_by_key(|(key, _)| *key);
            Value::Object(
                entries
                    .into_iter()
                    .map(|(key, field)| (key.clone(), sorted(field)))
                    .collect(),
            )
        }
        Value::Array(items) => Value::Array(items.iter().map(sorted).collect()),
        other => other.clone(),
    }
}

/// The digest of a conversation, grown message by message.
///
/// Each link covers the one before it and one message. A request that begins
/// like the one before it costs the hashing of what was added.
#[derive(Debug, Default)]
pub struct Chain {
    messages: Vec<Message>,
    links: Vec<Digest>,
    tools: Option<(Arc<[ToolSpec]>, Vec<CanonicalTool>)>,
}

/// The link of a chain, besides the link before it; borrowed, for hashing alone.
#[derive(Serialize)]
struct Link<'a> {
    role: &'a str,
    text: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    call: Option<(&'a str, &'a str)>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    calls: &'a [ToolCall],
    #[serde(skip_serializing_if = "Option::is_none")]
    picture: Option<Digest>,
}

impl<'a> Link<'a> {
    fn from_message(message: &'a Message) -> Self {
        let plain = |role, text| Self {
            role,
            text,
            call: None,
            calls: &[],
            picture: None,
        };
        match message {
            Message::System { text } => plain("system", text),
            Message::User { text } => plain("user", compared(text)),
            Message::Pictured { text, picture } => Self {
                picture: Some(picture.digest),
                ..plain("user", text)
            },
            Message::Assistant { text, calls, .. } => Self {
                calls,
                ..plain("assistant", text)
            },
            Message::Tool {
                call,
                name,
                text,
                stable,
            } => Self {
                call: Some((call, name)),
                ..plain("tool", stable.as_ref().unwrap_or(text))
            },
        }
    }
}

impl Chain {
    /// The digest of a request. `kept` of its leading messages are those of the
    /// request before.
    pub fn digest(&mut self, messages: &[Message], tools: &Arc<[ToolSpec]>) -> ChainDigest {
        let before = self.messages.len();
        let kept = self
            .messages
            .iter()
            .zip(messages)
            .take_while(|(before, now)| before == now)
            .count();
        self.messages.truncate(kept);
        self.links.truncate(kept);
        for message in &messages[kept..] {
            let link = Digest::compute_json(&(self.links.last(), Link::from_message(message)));
            self.links.push(link);
            self.messages.push(message.clone());
        }
        let canonical = match self.tools.take() {
            Some((known, canonical)) if Arc::ptr_eq(&known, tools) => canonical,
            _ => CanonicalTool::all(tools),
        };
        let digest = Digest::compute_json(&(self.links.last(), &canonical));
        self.tools = Some((Arc::clone(tools), canonical.clone()));
        ChainDigest {
            digest,
            kept,
            before,
            tools: canonical,
        }
    }
}

/// A request's digest, and how the request relates to the one before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainDigest {
    pub digest: Digest,
    /// Leading messages that are those of the request before.
    pub kept: usize,
    /// How many messages the request before had.
    pub before: usize,
    pub tools: Vec<CanonicalTool>,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_may_be_spent_is_not_compared() {
        let user = |text: &str| Message::User { text: text.into() };
        let digest = |text: &str| Chain::default().digest(&[user(text)], &Arc::from([])).digest;
        let told = format!("Do it.\n{LEFT}3 turns]");
        assert_eq!(digest(&told), digest("Do it."));
        assert_eq!(
            Canonical::from_message(&user(&told)),
            Canonical::from_message(&user("Do it."))
        );
        assert_ne!(digest(&format!("{told}\nDo more.")), digest("Do it."));
    }

    fn user(text: &str) -> Message {
        Message::User { text: text.into() }
    }

    fn tool(text: &str, stable: Option<&str>) -> Message {
        Message::Tool {
            call: "c".into(),
            name: "run".into(),
            text: text.into(),
            stable: stable.map(Into::into),
        }
    }

    fn digest(messages: &[Message]) -> Digest {
        Chain::default().digest(messages, &Arc::from([])).digest
    }

    #[test]
    fn a_grown_chain_and_a_fresh_one_agree() {
        let none: Arc<[ToolSpec]> = Arc::from([]);
        let all = [user("a"), user("b"), user("c")];
        let mut grown = Chain::default();
        grown.digest(&all[..1], &none);
        let other = [user("a"), user("x")];
        grown.digest(&other, &none);
        let last = grown.digest(&all, &none);
        assert_eq!(last.digest, digest(&all));
        assert_eq!((last.kept, last.before), (1, 2));
    }

    #[test]
    fn messages_cannot_run_into_one_another() {
        assert_ne!(digest(&[user("ab")]), digest(&[user("a"), user("b")]));
        assert_ne!(
            digest(&[user("a")]),
            digest(&[Message::System { text: "a".into() }])
        );
        assert_ne!(digest(&[]), digest(&[user("")]));
    }

    #[test]
    fn only_the_stable_text_of_a_tool_counts() {
        let here = tool("/home/a/run.py failed", Some("run.py failed"));
        let there = tool("/srv/b/run.py failed", Some("run.py failed"));
        let digest_here = digest(&[here]);
        assert_eq!(digest_here, digest(&[there]));
        assert_ne!(digest_here, digest(&[tool("run.py passed", None)]));
    }

    #[test]
    fn a_schema_counts_and_the_order_of_its_keys_does_not() {
        let spec = |parameters| ToolSpec {
            name: "t".into(),
            description: "d".into(),
            parameters,
        };
        let one = CanonicalTool::all(&[spec(json!({"a": 1, "b": 2}))]);
        assert_eq!(one, CanonicalTool::all(&[spec(json!({"b": 2, "a": 1}))]));
        assert_ne!(one, CanonicalTool::all(&[spec(json!({"a": 1, "b": 3}))]));
    }
}
