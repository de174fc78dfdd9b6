//! Requests as each dialect writes them, and whether one begins with another.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use serde_json::Value;

use reprise::domain::conversation::{ChatResponse, Finish};
use reprise::domain::sampling::Sampling;
use reprise::domain::usage::Usage;
use reprise::model::anthropic;
use reprise::model::capabilities::Capabilities;
use reprise::model::chat::{ChatModel, ChatRequest, ModelError};
use reprise::model::connection::Connection;
use reprise::model::endpoint::Endpoint;
use reprise::model::layers::text_calls::TextCalls;
use reprise::model::openai::request::Body;
use reprise::model::providers::anthropic::ANTHROPIC;
use reprise::model::providers::openai::{self, OPENAI};
use reprise::model::providers::provider::Provider;
use reprise::model::responses;
use reprise::model::timeouts::AttemptBudget;

/// A model that keeps the request that reached it.
struct Wire {
    calls_tools: bool,
    seen: Mutex<Option<ChatRequest>>,
}

#[async_trait]
impl ChatModel for Wire {
    fn name(&self) -> &str {
        "wire"
    }

    fn calls_tools(&self) -> bool {
        self.calls_tools
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatResponse, ModelError> {
        *self.seen.lock().unwrap() = Some(request.clone());
        Ok(ChatResponse {
            text: String::new(),
            calls: vec![],
            finish: Finish::Stop,
            usage: Usage::default(),
            thoughts: None,
        })
    }
}

/// The request behind the layer that turns written calls into messages.
pub async fn as_sent(request: &ChatRequest, calls_tools: bool) -> ChatRequest {
    let wire = Arc::new(Wire {
        calls_tools,
        seen: Mutex::default(),
    });
    TextCalls::new(wire.clone()).chat(request).await.unwrap();
    wire.seen.lock().unwrap().take().unwrap()
}

/// The parts of the prompt in their order, as each dialect writes them.
pub fn encoded(request: &ChatRequest) -> Vec<(&'static str, Vec<String>)> {
    let connection = connection(&OPENAI);
    let list = |body: Value, key: &str| -> Vec<String> {
        body[key]
            .as_array()
            .unwrap()
            .iter()
            .map(Value::to_string)
            .collect()
    };
    let completion = Body {
        connection: &connection,
        quirks: openai::QUIRKS,
        streamed: false,
        request,
    };
    let response = responses::request::Body {
        connection: &connection,
        prompt_cache_key: true,
        streamed: false,
        request,
    };
    vec![
        (
            "chat completions",
            list(serde_json::to_value(completion).unwrap(), "messages"),
        ),
        (
            "responses",
            list(serde_json::to_value(response).unwrap(), "input"),
        ),
        ("anthropic", blocks(&anthropic_body(request))),
    ]
}

fn connection(provider: &'static Provider) -> Connection {
    Connection {
        name: format!("{}/m", provider.prefix),
        model: "m".into(),
        endpoint: Endpoint {
            provider,
            base: provider.base.unwrap().parse().unwrap(),
            key: None,
            budget: AttemptBudget::default(),
        },
        api_version: None,
        sampling: Sampling::default(),
        capabilities: Capabilities::default(),
    }
}

fn anthropic_body(request: &ChatRequest) -> Value {
    serde_json::to_value(anthropic::request::Body {
        connection: &connection(&ANTHROPIC),
        streamed: false,
        request,
    })
    .unwrap()
}

/// The blocks of all turns with their roles; a mark says where a beginning ends
/// and is no part of it.
fn blocks(body: &Value) -> Vec<String> {
    marked_blocks(body).into_iter().map(|(text, _)| text).collect()
}

fn marked_blocks(body: &Value) -> Vec<(String, bool)> {
    let empty = Vec::new();
    let system = body["system"]
        .as_array()
        .unwrap_or(&empty)
        .iter()
        .map(|block| ("system", block));
    let turns = body["messages"].as_array().unwrap().iter().flat_map(|turn| {
        let role = turn["role"].as_str().unwrap();
        turn["content"]
            .as_array()
            .unwrap()
            .iter()
            .map(move |block| (role, block))
    });
    system
        .chain(turns)
        .map(|(role, block)| {
            let mut block = block.clone();
            let marked = block
                .as_object_mut()
                .unwrap()
                .shift_remove("cache_control")
                .is_some();
            (format!("{role} {block}"), marked)
        })
        .collect()
}

/// Whether a request begins with the one before it, in every dialect.
pub fn extends(before: &ChatRequest, after: &ChatRequest) -> Result<(), String> {
    for ((dialect, before), (_, after)) in encoded(before).into_iter().zip(encoded(after)) {
        let (before, after) = (before.join(","), after.join(","));
        if !after.starts_with(&before) {
            return Err(format!("{dialect}:\n{before}\nis no beginning of\n{after}"));
        }
    }
    (before.tools == after.tools && before.cache_key() == after.cache_key())
        .then_some(())
        .ok_or_else(|| "the tools or the cache key differ".to_owned())
}

/// The marks of a request: at most four, the last block among them, and one
/// where the request before it ended.
pub fn marks_hit(before: &ChatRequest, after: &ChatRequest) -> Result<(), String> {
    let (before, after) = (
        marked_blocks(&anthropic_body(before)),
        marked_blocks(&anthropic_body(after)),
    );
    let marks = after.iter().filter(|(_, marked)| *marked).count();
    let hit = after[before.len() - 1].1 && before.last().unwrap().1;
    (marks <= 4 && hit && after.last().unwrap().1)
        .then_some(())
        .ok_or_else(|| format!("{marks} marks: {after:?}"))
}
