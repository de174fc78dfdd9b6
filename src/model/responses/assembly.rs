//! A streamed response: the last event holds the whole of it.

use serde_json::{Value, json};

use crate::model::sse::{AnswerSize, Assembly, Event, StreamFault};

/// The response that a stream has brought so far.
#[derive(Debug, Default)]
pub struct StreamedResponse {
    document: Option<Value>,
    bytes: usize,
    calls: usize,
}

impl StreamedResponse {
    /// One with nothing in it.
    pub fn boxed() -> Box<dyn Assembly> {
        Box::<Self>::default()
    }
}

impl Assembly for StreamedResponse {
    fn take(&mut self, event: Event) -> Result<(), StreamFault> {
        if self.document.is_some() || event.data.is_empty() || event.is_end() {
            return Ok(());
        }
        let mut document = event.document()?;
        let kind = document
            .get("type")
            .and_then(Value::as_str)
            .unwrap_or(&event.name)
            .to_owned();
        match kind.as_str() {
            "response.completed" | "response.incomplete" | "response.failed" => {
                self.document = document.get_mut("response").map(Value::take);
            }
            "error" => {
                let error = document.get_mut("error").map(Value::take);
                self.document = Some(json!({ "error": error.unwrap_or(document) }));
            }
            "response.output_item.added" => {
                let item = document.pointer("/item/type").and_then(Value::as_str);
                self.calls += usize::from(item == Some("function_call"));
            }
            _ => self.bytes += document.get("delta").and_then(Value::as_str).map_or(0, str::len),
        }
        Ok(())
    }

    fn is_done(&self) -> bool {
        self.document.is_some()
    }

    fn progress(&self) -> AnswerSize {
        AnswerSize {
            bytes: self.bytes,
            calls: self.calls,
        }
    }

    fn finish(self: Box<Self>) -> Result<Value, StreamFault> {
        self.document.ok_or_else(|| StreamFault::truncated(self.bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::attempt::AttemptFault;
    use crate::model::sse;

    fn assembled(events: &[Value]) -> Result<Value, StreamFault> {
        let stream: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
        sse::assembled(StreamedResponse::boxed(), stream.as_bytes())
    }

    #[test]
    fn the_last_event_is_the_answer_and_without_it_there_is_none() {
        let delta = json!({"type": "response.output_text.delta", "delta": "hel"});
        let whole = json!({"type": "response.completed", "response": {"output": []}});
        assert_eq!(assembled(&[delta.clone(), whole]), Ok(json!({"output": []})));
        assert_eq!(assembled(&[delta]).unwrap_err().fault, AttemptFault::Truncated);
        let error = json!({"type": "error", "code": "rate_limit_exceeded", "message": "m"});
        let expected = json!({ "error": error });
        assert_eq!(assembled(&[error]), Ok(expected));
    }
}
