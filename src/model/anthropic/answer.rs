//! A message of the model, read leniently.

use std::sync::Arc;

use serde_json::Value;

use crate::domain::conversation::{ChatResponse, Finish};
use crate::domain::reasoning::{Piece, Reasoning, ReasoningFormat};
use crate::domain::usage::Usage;
use crate::model::attempt::{AttemptFault, FailedAttempt};
use crate::model::call_ids::{self, WrittenCall};
use crate::model::chat::{ChatRequest, ModelError};
use crate::model::provider_error;
use crate::model::tokens::{counted, tokens};

/// The answer in a message. An error inside, and a message without content, are
/// failed attempts.
///
/// # Errors
/// An error in the place of an answer, or a message without content.
pub fn read(provider: &str, request: &ChatRequest, document: &Value) -> Result<ChatResponse, ModelError> {
    if provider_error::is_error(document) {
        return Err(provider_error::from_document(provider, document));
    }
    let content = document.get("content").and_then(Value::as_array).ok_or_else(|| {
        FailedAttempt::new(
            provider,
            AttemptFault::Malformed,
            "the answer is JSON and no message",
        )
    })?;
    let of_kind = |kind: &'static str| {
        content
            .iter()
            .filter(move |block| block.get("type").and_then(Value::as_str) == Some(kind))
    };
    let text: String = of_kind("text")
        .filter_map(|block| block.get("text")?.as_str())
        .collect();
    let pieces = content
        .iter()
        .filter_map(|block| match block.get("type")?.as_str()? {
            "thinking" | "redacted_thinking" => Some(Piece::Thought(block)),
            "text" => Some(Piece::Text),
            "tool_use" => Some(Piece::Call),
            _ => None,
        });
    let thoughts = Reasoning::among(ReasoningFormat::Messages, !text.trim().is_empty(), pieces);
    let calls = call_ids::calls(
        request,
        of_kind("tool_use").map(|block| WrittenCall {
            id: block.get("id"),
            name: block.get("name"),
            arguments: block.get("input"),
        }),
    );
    Ok(ChatResponse {
        text,
        calls,
        finish: match document.get("stop_reason").and_then(Value::as_str) {
            Some("max_tokens" | "model_context_window_exceeded") => Finish::Length,
            Some("refusal") => Finish::Refused,
            _ => Finish::Stop,
        },
        usage: document.get("usage").map(usage).unwrap_or_default(),
        thoughts: thoughts.map(Arc::new),
    })
}

/// Tokens. The provider counts what it read from its cache, and wrote to it, apart.
pub fn usage(usage: &Value) -> Usage {
    let cached = tokens(usage, &["/cache_read_input_tokens"]);
    let written = tokens(usage, &["/cache_creation_input_tokens"]);
    let written_long = tokens(usage, &["/cache_creation/ephemeral_1h_input_tokens"]).min(written);
    // Without a count of the rest the sum would be one of a part.
    let input = counted(usage, &["/input_tokens"]);
    Usage {
        input: input.map_or(0, |rest| rest.saturating_add(cached).saturating_add(written)),
        cached,
        written: written - written_long,
        written_long,
        output: tokens(usage, &["/output_tokens"]),
        ..Usage::default()
    }
}
