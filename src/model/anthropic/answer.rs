//! A message of the model, read leniently.

use serde_json::Value;

use crate::domain::conversation::{ChatResponse, Finish, ToolCall};
use crate::domain::usage::Usage;
use crate::model::attempt::{AttemptFault, FailedAttempt};
use crate::model::call_ids::{CallIds, MOST_CALLS};
use crate::model::chat::{ChatRequest, ModelError};
use crate::model::refusal;
use crate::model::tokens::tokens;

/// The answer in a message. An error inside, and a message without content, are
/// failed attempts.
pub fn read(provider: &str, request: &ChatRequest, document: &Value) -> Result<ChatResponse, ModelError> {
    if refusal::is_error(document) {
        return Err(refusal::of_document(provider, document));
    }
    let content = document.get("content").and_then(Value::as_array).ok_or_else(|| {
        Box::new(FailedAttempt {
            provider: provider.to_owned(),
            fault: AttemptFault::Malformed,
            retry_after: None,
            message: "the answer is JSON and no message".to_owned(),
        })
    })?;
    let field = |block: &'_ Value, name: &str| -> String {
        block
            .get(name)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    let kind = |block: &Value, name: &str| block.get("type").and_then(Value::as_str) == Some(name);
    let text = content
        .iter()
        .filter(|block| kind(block, "text"))
        .map(|block| field(block, "text"))
        .collect();
    let mut ids = CallIds::new(request);
    let calls = content
        .iter()
        .filter(|block| kind(block, "tool_use"))
        .take(MOST_CALLS)
        .enumerate()
        .map(|(index, block)| ToolCall {
            id: ids.unique(&field(block, "id"), index),
            name: field(block, "name"),
            arguments: arguments(block.get("input")),
        })
        .collect();
    Ok(ChatResponse {
        text,
        calls,
        finish: match document.get("stop_reason").and_then(Value::as_str) {
            Some("max_tokens" | "model_context_window_exceeded") => Finish::Length,
            Some("refusal") => Finish::Refused,
            _ => Finish::Stop,
        },
        usage: document.get("usage").map(usage).unwrap_or_default(),
    })
}

/// The input as text: an object, or the text that a stream was put together to.
fn arguments(input: Option<&Value>) -> String {
    match input {
        None | Some(Value::Null) => "{}".to_owned(),
        Some(Value::String(text)) if text.trim().is_empty() => "{}".to_owned(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}

/// The provider counts what it read from its cache, and wrote to it, apart.
fn usage(usage: &Value) -> Usage {
    let cached = tokens(usage, &["/cache_read_input_tokens"]);
    let written = tokens(usage, &["/cache_creation_input_tokens"]);
    Usage {
        input: tokens(usage, &["/input_tokens"])
            .saturating_add(cached)
            .saturating_add(written),
        cached,
        output: tokens(usage, &["/output_tokens"]),
        reasoning: 0,
    }
}
