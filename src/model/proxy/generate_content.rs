//! Answers of generateContent: streams put together, and tokens and texts read.

use serde_json::{Value, json};

use crate::domain::conversation::{ChatResponse, Finish, ToolCall};
use crate::domain::usage::Usage;
use crate::model::attempt::{AttemptFault, FailedAttempt};
use crate::model::chat::ModelError;
use crate::model::provider_error;
use crate::model::sse::{AnswerSize, Assembly, Event, StreamFault};
use crate::model::tokens::tokens;

/// The chunks of one answer, as far as they have come.
#[derive(Debug, Default)]
pub struct StreamedContent {
    parts: Vec<Value>,
    finish: Option<Value>,
    usage: Option<Value>,
    /// What the prompt was turned down for.
    feedback: Option<Value>,
    error: Option<Value>,
    bytes: usize,
}

impl StreamedContent {
    /// One with nothing in it.
    pub fn boxed() -> Box<dyn Assembly> {
        Box::<Self>::default()
    }
}

impl Assembly for StreamedContent {
    fn take(&mut self, event: Event) -> Result<(), StreamFault> {
        if event.data.is_empty() {
            return Ok(());
        }
        let document = event.document()?;
        if provider_error::is_error(&document) {
            self.error = Some(document);
            return Ok(());
        }
        let parts = document.pointer("/candidates/0/content/parts");
        for part in parts.and_then(Value::as_array).into_iter().flatten() {
            self.bytes += part.get("text").and_then(Value::as_str).map_or(0, str::len);
            self.parts.push(part.clone());
        }
        let kept = |pointer: &str| {
            document
                .pointer(pointer)
                .filter(|value| !value.is_null())
                .cloned()
        };
        self.finish = kept("/candidates/0/finishReason").or(self.finish.take());
        self.usage = kept("/usageMetadata").or(self.usage.take());
        self.feedback = kept("/promptFeedback").or(self.feedback.take());
        Ok(())
    }

    fn is_done(&self) -> bool {
        self.error.is_some()
    }

    fn progress(&self) -> AnswerSize {
        let calls = self
            .parts
            .iter()
            .filter(|part| part.get("functionCall").is_some());
        AnswerSize {
            bytes: self.bytes,
            calls: calls.count(),
        }
    }

    fn finish(self: Box<Self>) -> Result<Value, StreamFault> {
        if let Some(error) = self.error {
            return Ok(error);
        }
        let is_blocked =
            (self.feedback.as_ref()).is_some_and(|feedback| feedback.get("blockReason").is_some());
        if self.finish.is_none() && !is_blocked {
            return Err(StreamFault::truncated(self.bytes));
        }
        Ok(json!({
            "candidates": [{"content": {"parts": self.parts}, "finishReason": self.finish}],
            "promptFeedback": self.feedback,
            "usageMetadata": self.usage,
        }))
    }
}

/// The answer in a document.
///
/// # Errors
/// An error in the place of an answer, or a document without candidates.
pub fn read(provider: &str, document: &Value) -> Result<ChatResponse, ModelError> {
    if provider_error::is_error(document) {
        return Err(provider_error::from_document(provider, document));
    }
    let is_blocked = document.pointer("/promptFeedback/blockReason").is_some();
    let candidate = document.pointer("/candidates/0");
    if candidate.is_none() && !is_blocked {
        let what = "the answer is JSON and holds no candidate";
        return Err(FailedAttempt::new(provider, AttemptFault::Malformed, what).into());
    }
    let parts = document
        .pointer("/candidates/0/content/parts")
        .and_then(Value::as_array);
    let parts = || parts.into_iter().flatten();
    let is_thought = |part: &&Value| part.get("thought").and_then(Value::as_bool) == Some(true);
    let text = parts()
        .filter(|part| !is_thought(part))
        .filter_map(|part| part.get("text")?.as_str())
        .collect();
    let calls = parts().filter_map(|part| part.get("functionCall"));
    let calls = calls.enumerate().map(|(index, call)| ToolCall {
        id: match call.get("id").and_then(Value::as_str) {
            Some(id) if !id.is_empty() => id.to_owned(),
            _ => format!("call_{index}"),
        },
        name: call["name"].as_str().unwrap_or_default().to_owned(),
        arguments: call.get("args").map_or_else(|| "{}".to_owned(), Value::to_string),
    });
    Ok(ChatResponse {
        text,
        calls: calls.collect(),
        finish: match candidate.and_then(|candidate| candidate.get("finishReason")?.as_str()) {
            Some("MAX_TOKENS") => Finish::Length,
            Some("STOP") => Finish::Stop,
            None if !is_blocked => Finish::Stop,
            _ => Finish::Refused,
        },
        usage: document.get("usageMetadata").map(usage).unwrap_or_default(),
        thoughts: None,
    })
}

/// Tokens. What was thought is counted apart from what was said, and paid for as it is.
/// The tokens that an answer counts.
pub fn usage(usage: &Value) -> Usage {
    let thoughts = tokens(usage, &["/thoughtsTokenCount"]);
    let prompt = tokens(usage, &["/promptTokenCount"]);
    Usage {
        input: prompt.saturating_add(tokens(usage, &["/toolUsePromptTokenCount"])),
        cached: tokens(usage, &["/cachedContentTokenCount"]),
        output: tokens(usage, &["/candidatesTokenCount"]).saturating_add(thoughts),
        reasoning: thoughts,
        ..Usage::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::sse;

    fn chunk(parts: Value, finish: Value) -> String {
        let document = json!({
            "candidates": [{"content": {"parts": parts}, "finishReason": finish}],
            "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 3, "thoughtsTokenCount": 4, "cachedContentTokenCount": 2},
        });
        format!("data: {document}\r\n\r\n")
    }

    #[test]
    fn a_stream_amounts_to_an_answer_with_its_tokens() {
        let first = chunk(json!([{"text": "h"}]), Value::Null);
        let last = chunk(
            json!([
                {"text": "i"},
                {"functionCall": {"name": "f", "args": {"x": 1}}},
                {"functionCall": {"id": "own", "name": "f"}},
            ]),
            json!("STOP"),
        );
        let whole = sse::assembled(StreamedContent::boxed(), (first.clone() + &last).as_bytes()).unwrap();
        let answer = read("p", &whole).unwrap();
        assert_eq!(
            (answer.text.as_str(), answer.calls[0].arguments.as_str()),
            ("hi", "{\"x\":1}")
        );
        let ids: Vec<_> = answer.calls.iter().map(|call| call.id.as_str()).collect();
        assert_eq!(ids, ["call_0", "own"]);
        let expected = Usage {
            input: 10,
            cached: 2,
            output: 7,
            reasoning: 4,
            ..Usage::default()
        };
        assert_eq!((answer.usage, answer.finish), (expected, Finish::Stop));
        let cut = sse::assembled(StreamedContent::boxed(), first.as_bytes()).unwrap_err();
        assert_eq!(cut.fault, AttemptFault::Truncated);
        let error = first + "data: {\"error\":{\"code\":429,\"message\":\"m\"}}\n\n";
        let error = sse::assembled(StreamedContent::boxed(), error.as_bytes()).unwrap();
        assert!(read("p", &error).is_err());
    }

    #[test]
    fn a_prompt_that_is_turned_down_is_an_answer_and_nothing_is_none() {
        let blocked = read("p", &json!({"promptFeedback": {"blockReason": "SAFETY"}})).unwrap();
        assert_eq!(blocked.finish, Finish::Refused);
        assert!(read("p", &json!({})).is_err());
    }
}
