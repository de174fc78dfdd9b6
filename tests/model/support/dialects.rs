//! One answer in each dialect, whole and streamed, and a model that asks for it.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use reprise::domain::clock::FixedClock;
use reprise::domain::sampling::Sampling;
use reprise::model::anthropic::assembly::StreamedMessage;
use reprise::model::capabilities::{Capabilities, ModelTable};
use reprise::model::chat::{ChatModel, ChatRequest, ModelError};
use reprise::model::client::Client;
use reprise::model::connection::Connection;
use reprise::model::dialect;
use reprise::model::endpoint::Endpoint;
use reprise::model::key::Key;
use reprise::model::layers::timer::{RealTime, Timer};
use reprise::model::openai::assembly::Completion;
use reprise::model::providers;
use reprise::model::providers::anthropic::ANTHROPIC;
use reprise::model::providers::compatible::COMPATIBLE;
use reprise::model::providers::provider::Provider;
use reprise::model::responses::assembly::StreamedResponse;
use reprise::model::sse::Assembly;
use reprise::model::timeouts::AttemptBudget;
use reprise::model::{anthropic, openai, responses};
use serde_json::{Value, json};

use super::server::{Reply, json as answered};

pub const CANARY: &str = "sk-canary-7f3a9d5e1b2c";

/// Generous, so that a busy machine fails no test.
pub const PATIENT: AttemptBudget = AttemptBudget {
    begin: Duration::from_secs(600),
    total: Duration::from_secs(600),
    stall: Duration::from_secs(600),
    connect: Duration::from_secs(600),
    bytes: 100_000,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    Chat,
    Responses,
    Messages,
}

pub const DIALECTS: [Dialect; 3] = [Dialect::Chat, Dialect::Responses, Dialect::Messages];

/// The end of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    Done,
    Length,
    Filtered,
    Unheard,
}

/// An answer, before it is put into a dialect.
#[derive(Debug, Clone)]
pub struct Said {
    pub text: String,
    /// Id, name and arguments.
    pub calls: Vec<(String, String, String)>,
    pub end: End,
    /// Input, cached of it, and output.
    pub tokens: (u64, u64, u64),
}

pub fn said(text: &str) -> Said {
    Said {
        text: text.into(),
        calls: vec![],
        end: End::Done,
        tokens: (10, 4, 2),
    }
}

pub fn called(calls: &[(&str, &str, &str)]) -> Said {
    let owned = |(id, name, arguments): &(&str, &str, &str)| {
        ((*id).to_owned(), (*name).to_owned(), (*arguments).to_owned())
    };
    Said {
        calls: calls.iter().map(owned).collect(),
        ..said("")
    }
}

/// A connection to a server at an address, with everything that a model can do.
pub fn connection(provider: &'static Provider, base: &str, budget: AttemptBudget) -> Connection {
    Connection {
        name: format!("{}/m", provider.prefix),
        model: "m".into(),
        endpoint: Endpoint {
            provider,
            base: base.parse().unwrap(),
            key: Some(Key::new(CANARY).unwrap()),
            budget,
        },
        api_version: None,
        sampling: Sampling::default(),
        capabilities: Capabilities {
            output: Some(4096),
            schema: Some(true),
            reasoning_effort: ModelTable::built_in()
                .unwrap()
                .get("openai/gpt-5")
                .reasoning_effort,
            thinking_budget: Some(true),
            ..Capabilities::default()
        },
    }
}

impl Dialect {
    /// A model at an address, without its client.
    pub fn dialect(self, base: &str, budget: AttemptBudget) -> Box<dyn dialect::Dialect> {
        let provider = match self {
            Self::Messages => &ANTHROPIC,
            Self::Chat | Self::Responses => &COMPATIBLE,
        };
        let mut connection = connection(provider, base, budget);
        connection.capabilities.responses = Some(self == Self::Responses);
        providers::connect(connection).unwrap()
    }

    pub fn model(self, address: SocketAddr, budget: AttemptBudget, streamed: bool) -> Arc<dyn ChatModel> {
        self.model_in(address, budget, streamed, Arc::new(RealTime::default()))
    }

    /// A model that is timed by `time`.
    pub fn model_in(
        self,
        address: SocketAddr,
        budget: AttemptBudget,
        streamed: bool,
        time: Arc<dyn Timer>,
    ) -> Arc<dyn ChatModel> {
        let base = format!("http://{address}/v1");
        let clock = Arc::new(FixedClock(Timestamp::UNIX_EPOCH));
        let watched = |_| {};
        let dialect = self.dialect(&base, budget);
        let model = Client::new(dialect, clock).unwrap().timed(time);
        Arc::new(match streamed {
            true => model.streaming(Arc::new(watched)),
            false => model,
        })
    }

    pub fn assembly(self) -> Box<dyn Assembly> {
        match self {
            Self::Chat => Completion::boxed(),
            Self::Responses => StreamedResponse::boxed(),
            Self::Messages => StreamedMessage::boxed(),
        }
    }

    pub fn read(
        self,
        request: &ChatRequest,
        document: &Value,
    ) -> Result<reprise::domain::conversation::ChatResponse, ModelError> {
        match self {
            Self::Chat => openai::answer::read("p", request, document),
            Self::Responses => responses::answer::read("p", request, document),
            Self::Messages => anthropic::answer::read("p", request, document),
        }
    }

    /// The answer with good status.
    pub fn reply(self, said: &Said, streamed: bool) -> Reply {
        if streamed {
            Reply::Streams(self.events(said).into_iter().map(String::into_bytes).collect())
        } else {
            answered(self.body(said))
        }
    }

    /// The answer as one document.
    pub fn body(self, said: &Said) -> Value {
        let (input, cached, output) = said.tokens;
        match self {
            Self::Chat => json!({
                "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "m",
                "choices": [{
                    "index": 0,
                    "message": {"role": "assistant", "content": said.text, "tool_calls": chat_calls(said)},
                    "finish_reason": chat_reason(said),
                }],
                "usage": chat_usage(said.tokens),
            }),
            Self::Responses => {
                let mut items = vec![];
                if !said.text.is_empty() {
                    items.push(json!({
                        "type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
                        "content": [{"type": "output_text", "text": said.text, "annotations": []}],
                    }));
                }
                items.extend(said.calls.iter().map(|(id, name, arguments)| {
                    json!({"type": "function_call", "id": "fc_1", "call_id": id, "name": name, "arguments": arguments, "status": "completed"})
                }));
                let cut = match said.end {
                    End::Length => json!({"reason": "max_output_tokens"}),
                    End::Filtered => json!({"reason": "content_filter"}),
                    End::Done | End::Unheard => Value::Null,
                };
                let status = match said.end {
                    End::Done => "completed",
                    End::Unheard => "unheard_of",
                    End::Length | End::Filtered => "incomplete",
                };
                json!({
                    "id": "resp_1", "object": "response", "status": status, "error": null,
                    "incomplete_details": cut, "output": items,
                    "usage": {
                        "input_tokens": input, "input_tokens_details": {"cached_tokens": cached},
                        "output_tokens": output, "output_tokens_details": {"reasoning_tokens": 0},
                        "total_tokens": input + output,
                    },
                })
            }
            Self::Messages => {
                let mut content = vec![];
                if !said.text.is_empty() {
                    content.push(json!({"type": "text", "text": said.text}));
                }
                content.extend(said.calls.iter().map(|(id, name, arguments)| {
                    let input: Value = serde_json::from_str(arguments).unwrap();
                    json!({"type": "tool_use", "id": id, "name": name, "input": input})
                }));
                json!({
                    "id": "msg_1", "type": "message", "role": "assistant", "model": "m",
                    "content": content, "stop_reason": messages_reason(said), "stop_sequence": null,
                    "usage": messages_usage(said.tokens),
                })
            }
        }
    }

    /// The answer as a stream, one event a string.
    pub fn events(self, said: &Said) -> Vec<String> {
        match self {
            Self::Chat => chat_events(said),
            Self::Responses => responses_events(said, self.body(said)),
            Self::Messages => messages_events(said),
        }
    }
}

fn chat_calls(said: &Said) -> Value {
    if said.calls.is_empty() {
        return Value::Null;
    }
    said.calls
        .iter()
        .map(|(id, name, arguments)| json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}))
        .collect()
}

fn chat_reason(said: &Said) -> &'static str {
    match said.end {
        End::Done if said.calls.is_empty() => "stop",
        End::Done => "tool_calls",
        End::Length => "length",
        End::Filtered => "content_filter",
        End::Unheard => "unheard_of",
    }
}

fn chat_usage((input, cached, output): (u64, u64, u64)) -> Value {
    json!({
        "prompt_tokens": input, "completion_tokens": output, "total_tokens": input + output,
        "prompt_tokens_details": {"cached_tokens": cached},
        "completion_tokens_details": {"reasoning_tokens": 0},
    })
}

fn messages_reason(said: &Said) -> &'static str {
    match said.end {
        End::Done if said.calls.is_empty() => "end_turn",
        End::Done => "tool_use",
        End::Length => "max_tokens",
        End::Filtered => "refusal",
        End::Unheard => "unheard_of",
    }
}

fn messages_usage((input, cached, output): (u64, u64, u64)) -> Value {
    json!({
        "input_tokens": input - cached, "cache_read_input_tokens": cached,
        "cache_creation_input_tokens": 0, "output_tokens": output,
    })
}

/// Pieces of a few characters.
fn pieces(text: &str) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    characters.chunks(3).map(|piece| piece.iter().collect()).collect()
}

fn plain(event: &Value) -> String {
    format!("data: {event}\n\n")
}

/// An event under its type, as Responses and Messages write it.
fn named(event: Value) -> String {
    format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap())
}

fn chat_events(said: &Said) -> Vec<String> {
    let chunk = |delta: Value, reason: Value| {
        plain(&json!({
            "id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m",
            "choices": [{"index": 0, "delta": delta, "finish_reason": reason}],
        }))
    };
    let mut events = vec![chunk(json!({"role": "assistant", "content": ""}), Value::Null)];
    events.extend(
        pieces(&said.text)
            .into_iter()
            .map(|text| chunk(json!({"content": text}), Value::Null)),
    );
    for (index, (id, name, arguments)) in said.calls.iter().enumerate() {
        let begun = json!({"index": index, "id": id, "type": "function", "function": {"name": name, "arguments": ""}});
        events.push(chunk(json!({"tool_calls": [begun]}), Value::Null));
        events.extend(pieces(arguments).into_iter().map(|piece| {
            let more = json!({"index": index, "function": {"arguments": piece}});
            chunk(json!({"tool_calls": [more]}), Value::Null)
        }));
    }
    events.push(chunk(json!({}), json!(chat_reason(said))));
    events.push(plain(&json!({"choices": [], "usage": chat_usage(said.tokens)})));
    events.push("data: [DONE]\n\n".to_owned());
    events
}

fn responses_events(said: &Said, whole: Value) -> Vec<String> {
    let mut events = vec![named(
        json!({"type": "response.created", "response": {"id": "resp_1"}}),
    )];
    events.extend(
        pieces(&said.text)
            .into_iter()
            .map(|text| named(json!({"type": "response.output_text.delta", "delta": text}))),
    );
    for (index, (_, name, arguments)) in said.calls.iter().enumerate() {
        let item = json!({"type": "function_call", "name": name});
        events.push(named(
            json!({"type": "response.output_item.added", "output_index": index, "item": item}),
        ));
        events.extend(
            pieces(arguments).into_iter().map(|piece| {
                named(json!({"type": "response.function_call_arguments.delta", "delta": piece}))
            }),
        );
    }
    let last = if whole["status"] == "incomplete" {
        "response.incomplete"
    } else {
        "response.completed"
    };
    events.push(named(json!({"type": last, "response": whole})));
    events
}

fn messages_events(said: &Said) -> Vec<String> {
    let usage = messages_usage((said.tokens.0, said.tokens.1, 1));
    let mut events = vec![
        named(json!({"type": "message_start", "message": {"id": "msg_1", "content": [], "usage": usage}})),
        named(json!({"type": "ping"})),
    ];
    let mut index = 0;
    let mut block = |start: Value, deltas: Vec<Value>| {
        events.push(named(
            json!({"type": "content_block_start", "index": index, "content_block": start}),
        ));
        events.extend(
            deltas
                .into_iter()
                .map(|delta| named(json!({"type": "content_block_delta", "index": index, "delta": delta}))),
        );
        events.push(named(json!({"type": "content_block_stop", "index": index})));
        index += 1;
    };
    if !said.text.is_empty() {
        let deltas = pieces(&said.text)
            .into_iter()
            .map(|text| json!({"type": "text_delta", "text": text}))
            .collect();
        block(json!({"type": "text", "text": ""}), deltas);
    }
    for (id, name, arguments) in &said.calls {
        let deltas = pieces(arguments)
            .into_iter()
            .map(|piece| json!({"type": "input_json_delta", "partial_json": piece}))
            .collect();
        block(
            json!({"type": "tool_use", "id": id, "name": name, "input": {}}),
            deltas,
        );
    }
    let delta = json!({"stop_reason": messages_reason(said), "stop_sequence": null});
    events.push(named(
        json!({"type": "message_delta", "delta": delta, "usage": {"output_tokens": said.tokens.2}}),
    ));
    events.push(named(json!({"type": "message_stop"})));
    events
}
