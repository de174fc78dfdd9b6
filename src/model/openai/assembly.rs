//! A streamed chat completion, put together.

use serde::de::IgnoredAny;
use serde_json::{Value, json};

use crate::model::provider_error;
use crate::model::sse::{AnswerSize, Assembly, Event, StreamFault};

/// The chunks of one completion, as far as they have come.
#[derive(Debug, Default)]
pub struct Completion {
    content: String,
    refusal: String,
    /// What Gemini put beside the text.
    extra: Value,
    /// What OpenRouter's provider thought.
    details: Vec<Value>,
    reasoning_bytes: usize,
    calls: Vec<Call>,
    finish: Option<Value>,
    usage: Option<Value>,
    error: Option<Value>,
    done: bool,
}

/// Most pieces of thought kept of one answer.
const MOST_DETAILS: usize = 1024;

#[derive(Debug, Default)]
struct Call {
    index: Option<u64>,
    id: String,
    name: String,
    arguments: String,
    /// What Gemini put beside it.
    extra: Value,
}

impl Completion {
    /// One with nothing in it.
    pub fn boxed() -> Box<dyn Assembly> {
        Box::<Self>::default()
    }

    fn delta(&mut self, delta: &Value) {
        append(&mut self.content, delta.get("content"));
        append(&mut self.refusal, delta.get("refusal"));
        note(&mut self.extra, delta.get("extra_content"));
        for detail in delta
            .get("reasoning_details")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            self.detail(detail);
        }
        for field in ["reasoning", "reasoning_content"] {
            self.reasoning_bytes += delta.get(field).and_then(Value::as_str).map_or(0, str::len);
        }
        for piece in delta
            .get("tool_calls")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            self.call_piece(piece);
        }
    }

    /// A piece of a thought goes on the one before it where both have the same
    /// kind and index: texts grow, and of anything else the last word counts.
    fn detail(&mut self, piece: &Value) {
        let of = |detail: &Value, name: &str| detail.get(name).cloned();
        let same = |last: &&mut Value| {
            ["type", "index"]
                .iter()
                .all(|name| of(last, name) == of(piece, name))
        };
        let Some(last) = self.details.last_mut().filter(same) else {
            if self.details.len() < MOST_DETAILS {
                self.details.push(piece.clone());
            }
            return;
        };
        for (name, value) in piece.as_object().into_iter().flatten() {
            match (name.as_str(), last.get_mut(name), value) {
                ("text" | "summary" | "data", Some(Value::String(text)), Value::String(more)) => {
                    text.push_str(more);
                }
                (_, _, Value::Null) => {}
                _ => last[name] = value.clone(),
            }
        }
    }

    /// A piece belongs to the call of its index; without one, to the last call.
    /// Some servers give every call the index 0, so that another id begins
    /// another call; without ids, arguments that begin again after whole ones do.
    fn call_piece(&mut self, piece: &Value) {
        let index = piece.get("index").and_then(Value::as_u64);
        let id = piece.get("id").and_then(Value::as_str).unwrap_or_default();
        let found = match index {
            Some(_) => self.calls.iter().rposition(|call| call.index == index),
            None => self.calls.len().checked_sub(1),
        };
        let function = piece.get("function").unwrap_or(piece);
        let same = found.filter(|at| {
            let known = &self.calls[*at];
            match id.is_empty() || known.id.is_empty() {
                true => !(id.is_empty() && known.is_followed_by(function)),
                false => known.id == id,
            }
        });
        let at = same.unwrap_or_else(|| {
            let name = function.get("name").and_then(Value::as_str);
            // The name of the call before holds on where none is given.
            let before = found.filter(|_| id.is_empty() && name.is_none_or(str::is_empty));
            self.calls.push(Call {
                index,
                name: before.map_or_else(String::new, |at| self.calls[at].name.clone()),
                ..Call::default()
            });
            self.calls.len() - 1
        });
        let call = &mut self.calls[at];
        note(&mut call.extra, piece.get("extra_content"));
        // Some servers repeat the id and the name in every piece.
        if call.id.is_empty() {
            call.id.push_str(id);
        }
        if call.name.is_empty() {
            append(&mut call.name, function.get("name"));
        }
        match function.get("arguments") {
            Some(Value::Object(fields)) => call.arguments.push_str(&json!(fields).to_string()),
            other => append(&mut call.arguments, other),
        }
    }
}

/// Bytes of arguments that are looked at for their end.
const SHORT: usize = 64 << 10;

impl Call {
    /// Whether a piece without an id begins another call: this one's arguments are whole, and the piece has a name of
    /// its own, or arguments from their beginning.
    fn is_followed_by(&self, function: &Value) -> bool {
        let name = function.get("name").and_then(Value::as_str).unwrap_or_default();
        let begins = match function.get("arguments") {
            Some(Value::String(text)) => text.trim_start().starts_with('{'),
            Some(Value::Object(_)) => true,
            _ => false,
        };
        let is_other = begins || !(name.is_empty() || name == self.name);
        is_other
            && self.arguments.len() <= SHORT
            && self.arguments.trim_end().ends_with('}')
            && serde_json::from_str::<IgnoredAny>(&self.arguments).is_ok()
    }
}

/// Keeps the last object that was given.
fn note(kept: &mut Value, given: Option<&Value>) {
    if let Some(given) = given.filter(|given| given.is_object()) {
        *kept = given.clone();
    }
}

fn append(text: &mut String, piece: Option<&Value>) {
    match piece {
        Some(Value::String(piece)) => text.push_str(piece),
        Some(Value::Array(parts)) => parts.iter().for_each(|part| append(text, part.get("text"))),
        _ => {}
    }
}

impl Assembly for Completion {
    fn take(&mut self, event: Event) -> Result<(), StreamFault> {
        if self.done || event.data.is_empty() {
            return Ok(());
        }
        if event.is_end() {
            self.done = true;
            return Ok(());
        }
        let chunk = event.document()?;
        if provider_error::is_error(&chunk) {
            self.error = Some(chunk);
            self.done = true;
            return Ok(());
        }
        if let Some(usage) = chunk.get("usage").filter(|usage| !usage.is_null()) {
            self.usage = Some(usage.clone());
        }
        let choices = chunk.get("choices").and_then(Value::as_array);
        let choice = choices
            .into_iter()
            .flatten()
            .find(|choice| choice.get("index").and_then(Value::as_u64).unwrap_or(0) == 0);
        if let Some(choice) = choice {
            if let Some(delta) = choice.get("delta").or_else(|| choice.get("message")) {
                self.delta(delta);
            }
            if let Some(reason) = choice.get("finish_reason").filter(|reason| !reason.is_null()) {
                self.finish = Some(reason.clone());
            }
        }
        Ok(())
    }

    fn is_done(&self) -> bool {
        self.done
    }

    fn progress(&self) -> AnswerSize {
        let arguments: usize = self.calls.iter().map(|call| call.arguments.len()).sum();
        AnswerSize {
            bytes: self.content.len() + self.refusal.len() + self.reasoning_bytes + arguments,
            calls: self.calls.len(),
        }
    }

    fn finish(self: Box<Self>) -> Result<Value, StreamFault> {
        if let Some(error) = self.error {
            return Ok(error);
        }
        if !self.done && self.finish.is_none() {
            return Err(StreamFault::truncated(self.progress().bytes));
        }
        let calls: Vec<Value> = self
            .calls
            .into_iter()
            .map(|call| {
                let mut written =
                    json!({"id": call.id, "function": {"name": call.name, "arguments": call.arguments}});
                if call.extra.is_object() {
                    written["extra_content"] = call.extra;
                }
                written
            })
            .collect();
        let mut message = json!({"content": self.content, "refusal": self.refusal, "tool_calls": calls});
        if self.extra.is_object() {
            message["extra_content"] = self.extra;
        }
        if !self.details.is_empty() {
            message["reasoning_details"] = Value::Array(self.details);
        }
        Ok(json!({
            "choices": [{
                "message": message,
                "finish_reason": self.finish,
            }],
            "usage": self.usage,
        }))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::model::attempt::AttemptFault;
    use crate::model::sse;

    const STREAM: &str = concat!(
        ": hello\n\n",
        "data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\n",
        "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"caf\u{e9} \\\"x\\\"\\n\"},\"finish_reason\":null}]}\r\n\r\n",
        "data: {\"choices\":[{\"index\":1,\"delta\":{\"content\":\"other\"}}]}\n\n",
        "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"read\",\"arguments\":\"\"}}]}}]}\n\n",
        "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"{\\\"p\\\":\"}}]}}]}\n\n",
        "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"1}\"}},{\"index\":0,\"id\":\"b\",\"function\":{\"name\":\"list\"}}]}}]}\n\n",
        "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\n",
        "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":2}}\n\n",
        "data: [DONE]\n\n",
    );

    fn assembled(stream: &str) -> Result<Value, StreamFault> {
        sse::assembled(Completion::boxed(), stream.as_bytes())
    }

    #[test]
    fn calls_without_ids_are_kept_apart_under_one_index_or_none() {
        let pieces = |pieces: &[(&str, &str)], index: Option<u64>| {
            let mut completion = Completion::default();
            for (name, arguments) in pieces {
                let mut piece = json!({"function": {"name": name, "arguments": arguments}});
                if let Some(index) = index {
                    piece["index"] = index.into();
                }
                completion.call_piece(&piece);
            }
            let calls = completion.calls.into_iter();
            calls.map(|call| (call.name, call.arguments)).collect::<Vec<_>>()
        };
        let call = |name: &str, arguments: &str| (name.to_owned(), arguments.to_owned());
        for index in [None, Some(0)] {
            assert_eq!(
                pieces(&[("read", "{\"p\":1}"), ("read", "{\"p\":2}")], index),
                [call("read", "{\"p\":1}"), call("read", "{\"p\":2}")]
            );
            assert_eq!(
                pieces(
                    &[
                        ("read", ""),
                        ("", "{\"p\":"),
                        ("", "{}}"),
                        ("list", ""),
                        ("", "{}"),
                        ("", "{\"a\":1}")
                    ],
                    index
                ),
                [
                    call("read", "{\"p\":{}}"),
                    call("list", "{}"),
                    call("list", "{\"a\":1}")
                ]
            );
            // The name in every piece, and a last one with nothing in it.
            assert_eq!(
                pieces(
                    &[("read", "{\"p\":"), ("read", "{}"), ("read", "}"), ("read", "")],
                    index
                ),
                [call("read", "{\"p\":{}}")]
            );
        }
    }

    fn whole() -> Value {
        json!({
            "choices": [{
                "message": {"content": "caf\u{e9} \"x\"\n", "refusal": "", "tool_calls": [
                    {"id": "a", "function": {"name": "read", "arguments": "{\"p\":1}"}},
                    {"id": "b", "function": {"name": "list", "arguments": ""}}
                ]},
                "finish_reason": "tool_calls",
            }],
            "usage": {"prompt_tokens": 3, "completion_tokens": 2},
        })
    }

    #[test]
    fn a_stream_amounts_to_the_completion() {
        assert_eq!(assembled(STREAM), Ok(whole()));
    }

    proptest! {
        #[test]
        fn every_cut_before_the_reason_is_an_error(end in 0..STREAM.find("tool_calls\"}]}\n").unwrap()) {
            let fault = sse::assembled(Completion::boxed(), &STREAM.as_bytes()[..end]).unwrap_err();
            prop_assert_eq!(fault.fault, AttemptFault::Truncated);
        }
    }

    #[test]
    fn a_reason_or_the_mark_ends_an_answer() {
        let reason = "data: {\"choices\":[{\"delta\":{\"content\":\"x\"},\"finish_reason\":\"stop\"}]}\n\n";
        assert!(assembled(reason).is_ok());
        let mark = "data: {\"choices\":[{\"delta\":{\"content\":\"x\"}}]}\n\ndata: [DONE]\n\n";
        assert!(assembled(mark).is_ok());
    }

    #[test]
    fn an_error_amid_the_stream_is_the_answer() {
        let stream = "data: {\"choices\":[{\"delta\":{\"content\":\"x\"}}]}\n\ndata: {\"error\":{\"message\":\"m\"}}\n\n";
        assert_eq!(assembled(stream), Ok(json!({"error": {"message": "m"}})));
        let broken = assembled("data: {\n\n").unwrap_err();
        assert_eq!(broken.fault, AttemptFault::Malformed);
    }
}
