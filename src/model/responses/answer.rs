//! A response, read leniently.

use std::sync::Arc;

use serde_json::Value;

use crate::domain::conversation::{ChatResponse, Finish};
use crate::domain::reasoning::{Piece, Reasoning, ReasoningFormat};
use crate::domain::usage::Usage;
use crate::model::attempt::{AttemptFault, FailedAttempt};
use crate::model::call_ids::{self, WrittenCall};
use crate::model::chat::{ChatRequest, ModelError};
use crate::model::provider_error;
use crate::model::tokens::tokens;

/// The answer in a response. An error inside, and a response without output,
/// are failed attempts.
///
/// # Errors
/// An error in the place of an answer, or a response without output.
pub fn read(provider: &str, request: &ChatRequest, document: &Value) -> Result<ChatResponse, ModelError> {
    if provider_error::is_error(document) {
        return Err(provider_error::from_document(provider, document));
    }
    let output = document.get("output").and_then(Value::as_array).ok_or_else(|| {
        FailedAttempt::new(
            provider,
            AttemptFault::Malformed,
            "the answer is JSON and no response",
        )
    })?;
    let of_kind = |kind: &'static str| {
        output
            .iter()
            .filter(move |item| item.get("type").and_then(Value::as_str) == Some(kind))
    };
    let parts = |field: &'static str| -> String {
        of_kind("message")
            .filter_map(|item| item.get("content")?.as_array())
            .flatten()
            .filter_map(|part| part.get(field)?.as_str())
            .collect()
    };
    let calls = call_ids::calls(
        request,
        of_kind("function_call").map(|item| WrittenCall {
            id: item.get("call_id"),
            name: item.get("name"),
            arguments: item.get("arguments"),
        }),
    );
    let mut text = parts("text");
    let refused = parts("refusal");
    let pieces = output
        .iter()
        .filter_map(|item| match item.get("type")?.as_str()? {
            // The provider keeps nothing, so that one without its content means nothing to it.
            "reasoning" => item
                .get("encrypted_content")?
                .is_string()
                .then_some(Piece::Thought(item)),
            "message" => Some(Piece::Text),
            "function_call" => Some(Piece::Call),
            _ => None,
        });
    let thoughts = Reasoning::among(ReasoningFormat::Responses, !text.is_empty(), pieces);
    let mut finish = match document
        .pointer("/incomplete_details/reason")
        .and_then(Value::as_str)
    {
        Some("content_filter") => Finish::Refused,
        Some(_) => Finish::Length,
        None => Finish::Stop,
    };
    if text.is_empty() && calls.is_empty() && !refused.is_empty() {
        finish = Finish::Refused;
        text = refused;
    }
    Ok(ChatResponse {
        text,
        calls,
        finish,
        usage: document.get("usage").map(usage).unwrap_or_default(),
        thoughts: thoughts.map(Arc::new),
    })
}

/// Tokens as the provider counts them.
pub fn usage(usage: &Value) -> Usage {
    Usage {
        input: tokens(usage, &["/input_tokens"]),
        cached: tokens(usage, &["/input_tokens_details/cached_tokens"]),
        output: tokens(usage, &["/output_tokens"]),
        reasoning: tokens(usage, &["/output_tokens_details/reasoning_tokens"]),
        ..Usage::default()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::domain::conversation::Position;
    use crate::domain::stage::Stage;

    fn read_one(document: Value) -> Result<ChatResponse, ModelError> {
        let request = ChatRequest {
            position: Position {
                stage: Stage::SEARCH,
                turn: 1,
            },
            messages: vec![],
            tools: [].into(),
            max_output_tokens: None,
            form: None,
        };
        read("p", &request, &document)
    }

    #[test]
    fn text_calls_and_counts_are_read() {
        let response = read_one(json!({
            "error": null, "status": "completed",
            "output": [
                {"type": "reasoning", "summary": []},
                {"type": "message", "content": [{"type": "output_text", "text": "a"}, {"type": "output_text", "text": "b"}]},
                {"type": "function_call", "call_id": "c", "name": "read", "arguments": "{\"p\":1}"},
                {"type": "function_call", "name": "list", "arguments": ""}
            ],
            "usage": {"input_tokens": 9, "input_tokens_details": {"cached_tokens": 4},
                      "output_tokens": 3, "output_tokens_details": {"reasoning_tokens": 2}}
        }))
        .unwrap();
        assert_eq!(response.text, "ab");
        let calls: Vec<_> = response
            .calls
            .iter()
            .map(|call| (call.id.as_str(), call.arguments.as_str()))
            .collect();
        assert_eq!(calls, [("c", "{\"p\":1}"), ("call_search_1_1", "{}")]);
        let usage = Usage {
            input: 9,
            cached: 4,
            output: 3,
            reasoning: 2,
            ..Usage::default()
        };
        assert_eq!((response.finish, response.usage), (Finish::Stop, usage));
    }

    #[test]
    fn endings_are_told_apart() {
        let cut = |reason: &str| json!({"output": [], "incomplete_details": {"reason": reason}});
        assert_eq!(read_one(cut("max_output_tokens")).unwrap().finish, Finish::Length);
        assert_eq!(read_one(cut("content_filter")).unwrap().finish, Finish::Refused);
        let no = json!({"output": [{"type": "message", "content": [{"type": "refusal", "refusal": "no"}]}]});
        assert_eq!(read_one(no).unwrap().finish, Finish::Refused);
        let failed =
            json!({"status": "failed", "output": [], "error": {"code": "server_error", "message": "m"}});
        assert!(matches!(read_one(failed).unwrap_err(), ModelError::Attempt(_)));
        assert!(matches!(read_one(json!({})).unwrap_err(), ModelError::Attempt(_)));
    }
}
