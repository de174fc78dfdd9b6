//! A chat completion, read leniently.

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

/// The answer in a completion. Servers leave out, rename and invent fields, so
/// that only what is needed is looked at.
///
/// An error inside, and a completion without a choice, are failed attempts.
///
/// # Errors
/// An error in the place of an answer, or a completion without a choice.
pub fn read(provider: &str, request: &ChatRequest, document: &Value) -> Result<ChatResponse, ModelError> {
    if provider_error::is_error(document) {
        return Err(provider_error::from_document(provider, document));
    }
    let failed = |fault, message: &str| ModelError::from(FailedAttempt::new(provider, fault, message));
    let choices = document.get("choices").ok_or_else(|| {
        failed(
            AttemptFault::Malformed,
            "the answer is JSON and no chat completion",
        )
    })?;
    let choice = choices
        .get(0)
        .ok_or_else(|| failed(AttemptFault::Empty, "the answer holds no choice"))?;
    let message = choice
        .get("message")
        .or_else(|| choice.get("delta"))
        .unwrap_or(&Value::Null);
    if provider_error::is_error(choice) {
        return Err(provider_error::from_document(provider, choice));
    }
    let mut text = joined_text(message.get("content").or_else(|| choice.get("text")));
    let calls = call_ids::calls(request, written(message));
    let refused = joined_text(message.get("refusal"));
    let reason = choice.get("finish_reason").and_then(Value::as_str);
    if reason == Some("error") {
        return Err(failed(
            AttemptFault::Malformed,
            "the answer broke off with an error that is not told",
        ));
    }
    let thoughts = thoughts(message, !text.is_empty());
    let mut finish = finish(reason);
    if !refused.is_empty() && text.is_empty() && calls.is_empty() {
        finish = Finish::Refused;
        text = refused;
    }
    Ok(ChatResponse {
        text,
        calls,
        finish,
        usage: usage(document.get("usage")),
        thoughts: thoughts.map(Arc::new),
    })
}

/// Content as text: a string, or the texts of a list of parts.
fn joined_text(content: Option<&Value>) -> String {
    match content {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => parts
            .iter()
            .filter_map(|part| match part {
                Value::String(text) => Some(text.as_str()),
                _ => match part.get("type").and_then(Value::as_str) {
                    None | Some("text" | "output_text") => part.get("text")?.as_str(),
                    Some(_) => None,
                },
            })
            .collect(),
        _ => String::new(),
    }
}

fn finish(reason: Option<&str>) -> Finish {
    match reason {
        Some("length" | "max_tokens" | "max_output_tokens" | "model_length") => Finish::Length,
        Some("content_filter" | "refusal" | "safety" | "SAFETY" | "prohibited_content") => Finish::Refused,
        _ => Finish::Stop,
    }
}

/// The calls of a message: listed, or a single one in the form before that.
fn written(message: &Value) -> impl Iterator<Item = WrittenCall<'_>> {
    let listed = message.get("tool_calls").and_then(Value::as_array);
    let single = message.get("function_call").filter(|call| call.is_object());
    let single = single.filter(|_| listed.is_none_or(Vec::is_empty));
    listed.into_iter().flatten().chain(single).map(|call| {
        let function = call.get("function").unwrap_or(call);
        WrittenCall {
            id: call.get("id"),
            name: function.get("name"),
            arguments: function.get("arguments"),
        }
    })
}

/// What Gemini signed, part by part, or the details of reasoning that OpenRouter gives.
fn thoughts(message: &Value, has_text: bool) -> Option<Reasoning> {
    if let Some(details) = message.get("reasoning_details").and_then(Value::as_array) {
        return Reasoning::among(
            ReasoningFormat::OpenRouter,
            has_text,
            details.iter().map(Piece::Thought),
        );
    }
    let calls = message.get("tool_calls").and_then(Value::as_array);
    let mut pieces = Vec::new();
    if has_text {
        pieces.extend(signed(message));
        pieces.push(Piece::Text);
    }
    for call in calls.into_iter().flatten() {
        pieces.extend(signed(call));
        pieces.push(Piece::Call);
    }
    Reasoning::among(ReasoningFormat::Gemini, has_text, pieces)
}

fn signed(part: &Value) -> Option<Piece<'_>> {
    let extra = part.get("extra_content")?;
    extra.is_object().then_some(Piece::Thought(extra))
}

/// The tokens that a completion counts.
pub fn usage(usage: Option<&Value>) -> Usage {
    let Some(usage) = usage else {
        return Usage::default();
    };
    let count = |pointers: &[&str]| tokens(usage, pointers);
    Usage {
        input: count(&["/prompt_tokens", "/input_tokens"]),
        cached: count(&[
            "/prompt_tokens_details/cached_tokens",
            "/input_tokens_details/cached_tokens",
            "/prompt_cache_hit_tokens",
        ]),
        written: count(&["/prompt_tokens_details/cache_write_tokens"]),
        output: count(&["/completion_tokens", "/output_tokens"]),
        reasoning: count(&[
            "/completion_tokens_details/reasoning_tokens",
            "/output_tokens_details/reasoning_tokens",
        ]),
        ..Usage::default()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::domain::conversation::{Position, ToolCall};
    use crate::domain::stage::Stage;
    use crate::model::chat::Message;

    fn request(earlier: &[&str]) -> ChatRequest {
        let calls = earlier
            .iter()
            .map(|id| ToolCall {
                id: (*id).to_owned(),
                name: "t".into(),
                arguments: "{}".into(),
            })
            .collect();
        ChatRequest {
            position: Position {
                stage: Stage::SEARCH,
                turn: 3,
            },
            messages: vec![Message::Assistant {
                text: "".into(),
                calls,
                thoughts: None,
            }],
            tools: [].into(),
            max_output_tokens: None,
            form: None,
        }
    }

    fn message(message: Value) -> ChatResponse {
        let document = json!({"choices": [{"message": message, "finish_reason": "tool_calls"}]});
        read("p", &request(&["call_0"]), &document).unwrap()
    }

    #[test]
    fn a_usual_completion_is_read_in_full() {
        let document = json!({
            "choices": [{"index": 0, "message": {"role": "assistant", "content": "hi"}, "finish_reason": "length"}],
            "usage": {
                "prompt_tokens": 10, "completion_tokens": 5.0,
                "prompt_tokens_details": {"cached_tokens": 4},
                "completion_tokens_details": {"reasoning_tokens": 2}
            }
        });
        let response = read("p", &request(&[]), &document).unwrap();
        assert_eq!((response.text.as_str(), response.finish), ("hi", Finish::Length));
        assert_eq!(
            response.usage,
            Usage {
                input: 10,
                cached: 4,
                output: 5,
                reasoning: 2,
                ..Usage::default()
            }
        );
    }

    #[test]
    fn content_comes_in_every_shape() {
        assert_eq!(message(json!({"content": null})).text, "");
        assert_eq!(message(json!({})).text, "");
        let parts =
            json!({"content": [{"type": "reasoning", "text": "no"}, {"type": "text", "text": "a"}, "b"]});
        assert_eq!(message(parts).text, "ab");
        let refused = message(json!({"content": null, "refusal": "I will not."}));
        assert_eq!(
            (refused.text.as_str(), refused.finish),
            ("I will not.", Finish::Refused)
        );
    }

    #[test]
    fn calls_get_ids_of_their_own_and_arguments_as_text() {
        let response = message(json!({"tool_calls": [
            {"id": "call_0", "function": {"name": "a", "arguments": {"x": 1}}},
            {"id": "", "function": {"name": "b", "arguments": ""}},
            {"id": "z", "function": {"name": "c", "arguments": "{\"y\": 2}"}},
            {"id": "z", "name": "d"}
        ]}));
        let seen: Vec<_> = response
            .calls
            .iter()
            .map(|call| (call.id.as_str(), call.name.as_str(), call.arguments.as_str()))
            .collect();
        assert_eq!(
            seen,
            [
                ("call_search_3_0", "a", r#"{"x":1}"#),
                ("call_search_3_1", "b", "{}"),
                ("z", "c", "{\"y\": 2}"),
                ("call_search_3_3", "d", "{}"),
            ]
        );
    }

    #[test]
    fn what_is_no_answer_is_a_named_fault() {
        let fault = |document: Value| match read("p", &request(&[]), &document).unwrap_err() {
            ModelError::Attempt(attempt) => attempt.fault,
            other => panic!("{other:?}"),
        };
        assert_eq!(fault(json!({"choices": []})), AttemptFault::Empty);
        assert_eq!(fault(json!({"choices": null})), AttemptFault::Empty);
        assert_eq!(fault(json!([])), AttemptFault::Malformed);
        assert_eq!(fault(json!({"error": {"code": 503}})), AttemptFault::Status(503));
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            "[a-z]{0,3}".prop_map(Value::from),
        ];
        let keys = prop_oneof![
            Just("choices"),
            Just("message"),
            Just("content"),
            Just("tool_calls"),
            Just("function"),
            Just("arguments"),
            Just("id"),
            Just("usage"),
            Just("error"),
            Just("prompt_tokens"),
        ];
        leaf.prop_recursive(5, 64, 4, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::vec((keys.clone(), inner), 0..4).prop_map(|entries| Value::Object(
                    entries
                        .into_iter()
                        .map(|(key, value)| (key.to_owned(), value))
                        .collect()
                )),
            ]
        })
    }

    proptest! {
        #[test]
        fn every_answer_is_read_with_distinct_ids_or_named(document in any_json()) {
            match read("p", &request(&["a", "b"]), &document) {
                Ok(response) => {
                    let ids: HashSet<_> = response.calls.iter().map(|call| &call.id).collect();
                    prop_assert_eq!(ids.len(), response.calls.len());
                }
                Err(error) => prop_assert!(error.to_string().starts_with("p ")),
            }
        }
    }
}
