//! The body of a request, written from the conversation.

use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::domain::conversation::ToolCall;
use crate::domain::picture::MediaType;
use crate::domain::reasoning::ReasoningFormat;
use crate::domain::sampling::Effort;
use crate::model::chat::{ChatRequest, Message, ToolSpec};
use crate::model::connection::Connection;
use crate::model::encoded::base64;

/// What stands where an empty text would be refused.
const NOTHING: &str = "(empty)";

/// The body as it is sent; borrows all texts.
#[derive(Clone, Copy)]
pub struct Body<'a> {
    pub connection: &'a Connection,
    pub streamed: bool,
    pub request: &'a ChatRequest,
}

impl Serialize for Body<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (system, messages) = turns(&self.request.messages);
        let connection = self.connection;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("model", &connection.model)?;
        let most = (self.request.max_output_tokens).unwrap_or_else(|| default_output(connection));
        map.serialize_entry("max_tokens", &most)?;
        if !system.is_empty() {
            map.serialize_entry("system", &system)?;
        }
        map.serialize_entry("messages", &messages)?;
        if !self.request.tools.is_empty() {
            let tools: Vec<_> = self.request.tools.iter().map(Tool::new).collect();
            map.serialize_entry("tools", &tools)?;
        }
        if let Some(temperature) = connection.sampling.temperature {
            map.serialize_entry("temperature", &temperature)?;
        }
        if let Some(top_p) = connection.sampling.top_p {
            map.serialize_entry("top_p", &top_p)?;
        }
        if !connection.sampling.stop.is_empty() {
            map.serialize_entry("stop_sequences", &connection.sampling.stop)?;
        }
        let (within, named) = match connection.sampling.effort {
            Some(effort) if connection.thinks_within() => (thinking_budget(effort, most), None),
            effort => (None, effort),
        };
        if let Some(budget_tokens) = within {
            let thinking = Thinking {
                kind: "enabled",
                budget_tokens,
            };
            map.serialize_entry("thinking", &thinking)?;
        }
        let output = OutputConfig {
            effort: named,
            // The interface turns down a schema that is open anywhere.
            format: (self.request.form.as_ref())
                .filter(|form| connection.keeps_schemas() && form.is_strict())
                .map(|form| Format {
                    kind: "json_schema",
                    schema: &form.schema,
                }),
        };
        if output.effort.is_some() || output.format.is_some() {
            map.serialize_entry("output_config", &output)?;
        }
        if self.streamed {
            map.serialize_entry("stream", &true)?;
        }
        map.end()
    }
}

/// Most tokens of an answer where neither the request nor the table of models says;
/// the interface insists on a bound.
const DEFAULT_OUTPUT: u32 = 16_000;

fn default_output(connection: &Connection) -> u32 {
    let most = connection.capabilities.output;
    most.map_or(DEFAULT_OUTPUT, |most| most.min(DEFAULT_OUTPUT))
}

/// The fewest tokens of thought that the interface takes.
const LEAST_THOUGHT: u32 = 1024;

/// The tokens of an answer that an effort leaves to thought; `None` for no
/// thought, and where the answer is too short for both. Thoughts count as output,
/// so that a share of it keeps the call within what was set aside for it. The
/// shares are those that OpenRouter publishes for the same models.
fn thinking_budget(effort: Effort, most: u32) -> Option<u32> {
    let tenths = match effort {
        Effort::None => return None,
        Effort::Minimal => 1,
        Effort::Low => 2,
        Effort::Medium => 5,
        Effort::High => 8,
        Effort::Xhigh | Effort::Max => 9,
    };
    let budget = (most / 10 * tenths).max(LEAST_THOUGHT);
    (budget < most).then_some(budget)
}

#[derive(Serialize)]
struct Thinking {
    #[serde(rename = "type")]
    kind: &'static str,
    budget_tokens: u32,
}

#[derive(Serialize)]
struct OutputConfig<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    effort: Option<Effort>,
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<Format<'a>>,
}

#[derive(Serialize)]
struct Format<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    schema: &'a Value,
}

#[derive(Serialize)]
struct Turn<'a> {
    role: &'static str,
    content: Vec<Block<'a>>,
}

#[derive(Serialize)]
struct Block<'a> {
    #[serde(flatten)]
    content: Content<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_control: Option<CacheControl>,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Content<'a> {
    Text {
        text: &'a str,
    },
    Image {
        source: Source,
    },
    ToolUse {
        id: &'a str,
        name: &'a str,
        input: Value,
    },
    ToolResult {
        tool_use_id: &'a str,
        content: &'a str,
    },
    /// A block of the provider's own, as it came.
    #[serde(untagged)]
    Thought(&'a Value),
}

#[derive(Serialize)]
struct Source {
    #[serde(rename = "type")]
    kind: &'static str,
    media_type: MediaType,
    data: String,
}

#[derive(Serialize)]
struct CacheControl {
    #[serde(rename = "type")]
    kind: &'static str,
}

#[derive(Serialize)]
struct Tool<'a> {
    name: &'a str,
    description: &'a str,
    input_schema: &'a Value,
}

impl<'a> Tool<'a> {
    fn new(tool: &'a ToolSpec) -> Self {
        Self {
            name: &tool.name,
            description: &tool.description,
            input_schema: &tool.parameters,
        }
    }
}

/// The leading system messages, and the rest as alternating turns.
///
/// Four blocks are marked, the most that are taken. Each marks a beginning that
/// later requests share: tools and system; the task, which stays when what comes
/// behind it is shrunk; where the request before this one ended, since the
/// provider looks back no further than 20 blocks from a mark; and the end, for
/// the request after this one.
fn turns(messages: &[Message]) -> (Vec<Block<'_>>, Vec<Turn<'_>>) {
    let leading = messages
        .iter()
        .take_while(|message| matches!(message, Message::System { .. }))
        .count();
    let mut system: Vec<Block<'_>> = messages[..leading]
        .iter()
        .filter_map(|message| match message {
            Message::System { text } if !text.trim().is_empty() => Some(text_block(text)),
            _ => None,
        })
        .collect();
    let mut turns: Vec<Turn<'_>> = Vec::new();
    let (mut task, mut before) = (None, None);
    for message in &messages[leading..] {
        let (role, content) = blocks(message);
        if role == "assistant" {
            before = end_of(&turns);
        }
        if content.is_empty() {
            continue;
        }
        match turns.last_mut().filter(|turn| turn.role == role) {
            Some(turn) => turn.content.extend(content),
            None => turns.push(Turn { role, content }),
        }
        task = task.or_else(|| end_of(&turns));
    }
    mark(system.last_mut());
    for (turn, block) in [task, before, end_of(&turns)].into_iter().flatten() {
        mark(turns.get_mut(turn).and_then(|turn| turn.content.get_mut(block)));
    }
    (system, turns)
}

/// The place of the last block.
fn end_of(turns: &[Turn<'_>]) -> Option<(usize, usize)> {
    let turn = turns.len().checked_sub(1)?;
    Some((turn, turns[turn].content.len().checked_sub(1)?))
}

fn mark(block: Option<&mut Block<'_>>) {
    if let Some(block) = block {
        block.cache_control = Some(CacheControl { kind: "ephemeral" });
    }
}

fn blocks(message: &Message) -> (&'static str, Vec<Block<'_>>) {
    match message {
        Message::System { text } | Message::User { text } => {
            let text: &str = if text.trim().is_empty() { NOTHING } else { text };
            ("user", vec![text_block(text)])
        }
        // The interface's reference puts the picture before the text about it.
        Message::Pictured { text, picture } => {
            let source = Source {
                kind: "base64",
                media_type: picture.media,
                data: base64(picture),
            };
            ("user", vec![block(Content::Image { source }), text_block(text)])
        }
        Message::Assistant {
            text,
            calls,
            thoughts,
        } => {
            let said = (!text.trim().is_empty()).then(|| text_block(text));
            let parts = said.into_iter().chain(calls.iter().map(use_block));
            let blocks = parts.enumerate().flat_map(|(place, part)| {
                let before = thoughts
                    .iter()
                    .flat_map(move |thoughts| thoughts.before(ReasoningFormat::Messages, place));
                before
                    .map(|thought| block(Content::Thought(thought)))
                    .chain([part])
            });
            ("assistant", blocks.collect())
        }
        Message::Tool { call, text, .. } => (
            "user",
            vec![block(Content::ToolResult {
                tool_use_id: call,
                content: text,
            })],
        ),
    }
}

fn block(content: Content<'_>) -> Block<'_> {
    Block {
        content,
        cache_control: None,
    }
}

fn text_block(text: &str) -> Block<'_> {
    block(Content::Text { text })
}

/// The input has to be an object; what a model wrote otherwise is sent back to
/// it as `{"unreadable": TEXT}`.
fn use_block(call: &ToolCall) -> Block<'_> {
    let input = serde_json::from_str::<Value>(&call.arguments)
        .ok()
        .filter(Value::is_object)
        .unwrap_or_else(|| serde_json::json!({ "unreadable": call.arguments }));
    block(Content::ToolUse {
        id: &call.id,
        name: &call.name,
        input,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::domain::conversation::Position;
    use crate::domain::stage::Stage;
    use crate::model::connection::on_loopback;
    use crate::model::providers::anthropic::ANTHROPIC;

    fn user(text: &str) -> Message {
        Message::User { text: text.into() }
    }

    fn result(call: &str) -> Message {
        Message::Tool {
            call: call.into(),
            name: "read".into(),
            text: "seen".into(),
            stable: Some("hidden".into()),
        }
    }

    #[test]
    fn a_conversation_becomes_alternating_turns() {
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
                user("u"),
                Message::Assistant {
                    text: " ".into(),
                    calls: vec![call("a", r#"{"p":1}"#), call("b", "{broken")],
                    thoughts: None,
                },
                result("a"),
                result("b"),
                user(""),
                Message::Assistant {
                    text: "".into(),
                    calls: vec![],
                    thoughts: None,
                },
                user("again"),
            ],
            tools: vec![ToolSpec {
                name: "read".into(),
                description: "Reads.".into(),
                parameters: json!({"type": "object"}),
            }]
            .into(),
            max_output_tokens: None,
            form: None,
        };
        let mut connection = on_loopback(&ANTHROPIC);
        connection.capabilities.output = Some(99);
        let body = Body {
            connection: &connection,
            streamed: true,
            request: &request,
        };
        let cached = json!({"type": "ephemeral"});
        assert_eq!(
            serde_json::to_value(body).unwrap(),
            json!({
                "model": "m",
                "max_tokens": 99,
                "system": [{"type": "text", "text": "s", "cache_control": cached}],
                "messages": [
                    {"role": "user", "content": [{"type": "text", "text": "u", "cache_control": cached}]},
                    {"role": "assistant", "content": [
                        {"type": "tool_use", "id": "a", "name": "read", "input": {"p": 1}},
                        {"type": "tool_use", "id": "b", "name": "read", "input": {"unreadable": "{broken"}}
                    ]},
                    {"role": "user", "content": [
                        {"type": "tool_result", "tool_use_id": "a", "content": "seen"},
                        {"type": "tool_result", "tool_use_id": "b", "content": "seen"},
                        {"type": "text", "text": "(empty)", "cache_control": cached},
                        {"type": "text", "text": "again", "cache_control": cached}
                    ]}
                ],
                "tools": [{"name": "read", "description": "Reads.", "input_schema": {"type": "object"}}],
                "stream": true
            })
        );
    }

    #[test]
    fn an_effort_is_a_share_of_the_answer_where_thought_has_a_budget() {
        assert_eq!(thinking_budget(Effort::Medium, 16_000), Some(8_000));
        assert_eq!(thinking_budget(Effort::Low, 4_000), Some(LEAST_THOUGHT));
        assert_eq!(
            thinking_budget(Effort::High, 1_000),
            None,
            "no answer would be left"
        );
        assert_eq!(thinking_budget(Effort::None, 16_000), None);
    }
}
