//! Small requests.

use std::sync::Arc;

use reprise::domain::conversation::{ChatResponse, Position};
use reprise::domain::stage::Stage;
use reprise::model::chat::{ChatRequest, Message, ToolSpec};
use serde_json::json;

/// A request with one user message, at the given turn of the design stage.
pub fn ask(turn: u32, text: &str) -> ChatRequest {
    ChatRequest {
        position: Position {
            stage: Stage::DESIGN,
            turn,
        },
        messages: vec![system("You replicate."), user(text)],
        tools: tools(),
        max_output_tokens: None,
        form: None,
    }
}

/// The request that follows when `response` is answered with `more`.
pub fn next(request: &ChatRequest, response: &ChatResponse, more: Vec<Message>) -> ChatRequest {
    let mut next = request.clone();
    next.position.turn += 1;
    next.messages.push(Message::Assistant {
        text: response.text.as_str().into(),
        calls: response.calls.clone(),
        thoughts: response.thoughts.clone(),
    });
    next.messages.extend(more);
    next
}

/// One tool.
pub fn tools() -> Arc<[ToolSpec]> {
    Arc::from([ToolSpec {
        name: "read_file".into(),
        description: "Reads a file.".into(),
        parameters: json!({"type": "object", "properties": {"path": {"type": "string"}}}),
    }])
}

pub fn system(text: &str) -> Message {
    Message::System { text: text.into() }
}

pub fn user(text: &str) -> Message {
    Message::User { text: text.into() }
}

/// What the first call of `response` was answered with.
pub fn tool(response: &ChatResponse, text: &str, stable: Option<&str>) -> Message {
    Message::Tool {
        call: response.calls[0].id.clone(),
        name: response.calls[0].name.clone(),
        text: text.into(),
        stable: stable.map(Into::into),
    }
}
