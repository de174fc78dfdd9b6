//! An answer as Responses has it.

use serde_json::{Value, json};

use super::answer_events::NumberedEvents;
use super::served_answer::ServedAnswer;
use crate::domain::conversation::{Finish, ToolCall};

/// The document of an answer.
pub fn document(answer: &ServedAnswer<'_>) -> Value {
    let ending = Ending::of(answer);
    let items = items(answer);
    response(answer, ending.status, ending.reason, items, usage(answer))
}

/// The end of a response.
#[derive(Debug, Clone, Copy)]
struct Ending {
    status: &'static str,
    /// Why it is incomplete.
    reason: Option<&'static str>,
}

impl Ending {
    fn of(answer: &ServedAnswer<'_>) -> Self {
        let incomplete = |reason| Self {
            status: "incomplete",
            reason: Some(reason),
        };
        match answer.response.finish {
            Finish::Length => incomplete("max_output_tokens"),
            // What declines in words is an answer.
            Finish::Refused if answer.response.text.is_empty() => incomplete("content_filter"),
            Finish::Refused | Finish::Stop => Self {
                status: "completed",
                reason: None,
            },
        }
    }
}

fn response(
    answer: &ServedAnswer<'_>,
    status: &str,
    reason: Option<&str>,
    output: Vec<Value>,
    usage: Value,
) -> Value {
    json!({
        "id": format!("resp_{}", answer.id),
        "object": "response",
        "created_at": answer.created,
        "status": status,
        "error": null,
        "incomplete_details": reason.map(|reason| json!({ "reason": reason })),
        "instructions": null,
        "metadata": {},
        "model": answer.model,
        "output": output,
        "parallel_tool_calls": true,
        "temperature": null,
        "tool_choice": "auto",
        "tools": [],
        "top_p": null,
        "usage": usage,
    })
}

fn usage(answer: &ServedAnswer<'_>) -> Value {
    let usage = answer.response.usage;
    match answer.is_counted() {
        true => json!({
            "input_tokens": usage.input,
            "input_tokens_details": {"cached_tokens": usage.cached},
            "output_tokens": usage.output,
            "output_tokens_details": {"reasoning_tokens": usage.reasoning},
            "total_tokens": usage.total(),
        }),
        false => Value::Null,
    }
}

/// The kind of a text's part, and the key that holds it.
fn text_part(answer: &ServedAnswer<'_>, text: &str) -> Value {
    match answer.response.finish {
        Finish::Refused => json!({"type": "refusal", "refusal": text}),
        _ => json!({"type": "output_text", "text": text, "annotations": [], "logprobs": []}),
    }
}

fn message_id(answer: &ServedAnswer<'_>) -> String {
    format!("msg_{}", answer.id)
}

fn message(answer: &ServedAnswer<'_>, status: &str, content: Vec<Value>) -> Value {
    json!({"id": message_id(answer), "type": "message", "status": status, "role": "assistant", "content": content})
}

fn call_id(answer: &ServedAnswer<'_>, index: usize) -> String {
    format!("fc_{}_{index}", answer.id)
}

fn call(answer: &ServedAnswer<'_>, index: usize, call: &ToolCall, status: &str, arguments: &str) -> Value {
    json!({
        "id": call_id(answer, index), "type": "function_call", "status": status, "call_id": call.id,
        "name": call.name, "arguments": arguments,
    })
}

fn items(answer: &ServedAnswer<'_>) -> Vec<Value> {
    let status = Ending::of(answer).status;
    let text = &answer.response.text;
    let said = (!text.is_empty()).then(|| message(answer, status, vec![text_part(answer, text)]));
    let calls = answer.response.calls.iter().enumerate();
    let calls = calls.map(|(index, one)| call(answer, index, one, status, &one.arguments));
    said.into_iter().chain(calls).collect()
}

/// The stream of an answer: each item begins, grows and ends, and the last event is the whole response.
pub fn stream(answer: &ServedAnswer<'_>) -> String {
    let ending = Ending::of(answer);
    let mut events = NumberedEvents::default();
    let begun = response(answer, "in_progress", None, Vec::new(), Value::Null);
    events.add(json!({"type": "response.created", "response": begun}));
    events.add(json!({"type": "response.in_progress", "response": begun}));
    let has_text = !answer.response.text.is_empty();
    if has_text {
        text_events(answer, &mut events);
    }
    for (index, one) in answer.response.calls.iter().enumerate() {
        let place = index + usize::from(has_text);
        let item_id = call_id(answer, index);
        let begun = call(answer, index, one, "in_progress", "");
        events.add(json!({"type": "response.output_item.added", "output_index": place, "item": begun}));
        events.add(json!({
            "type": "response.function_call_arguments.delta", "item_id": item_id, "output_index": place,
            "delta": one.arguments,
        }));
        events.add(json!({
            "type": "response.function_call_arguments.done", "item_id": item_id, "output_index": place,
            "name": one.name, "arguments": one.arguments,
        }));
        let done = call(answer, index, one, ending.status, &one.arguments);
        events.add(json!({"type": "response.output_item.done", "output_index": place, "item": done}));
    }
    let kind = format!("response.{}", ending.status);
    events.add(json!({"type": kind, "response": document(answer)}));
    events.into_stream()
}

/// The events of the text, which is the first item.
fn text_events(answer: &ServedAnswer<'_>, events: &mut NumberedEvents) {
    let text = answer.response.text.as_str();
    let (kind, key) = match answer.response.finish {
        Finish::Refused => ("refusal", "refusal"),
        _ => ("output_text", "text"),
    };
    let at = |kind: &str| json!({"type": kind, "item_id": message_id(answer), "output_index": 0, "content_index": 0});
    let with = |mut event: Value, key: &str, value: Value| {
        event[key] = value;
        event
    };
    let begun = message(answer, "in_progress", Vec::new());
    events.add(json!({"type": "response.output_item.added", "output_index": 0, "item": begun}));
    events.add(with(
        at("response.content_part.added"),
        "part",
        text_part(answer, ""),
    ));
    let delta = with(at(&format!("response.{kind}.delta")), "delta", json!(text));
    let done = with(at(&format!("response.{kind}.done")), key, json!(text));
    match kind {
        "output_text" => {
            events.add(with(delta, "logprobs", json!([])));
            events.add(with(done, "logprobs", json!([])));
        }
        _ => {
            events.add(delta);
            events.add(done);
        }
    }
    events.add(with(
        at("response.content_part.done"),
        "part",
        text_part(answer, text),
    ));
    let whole = message(answer, Ending::of(answer).status, vec![text_part(answer, text)]);
    events.add(json!({"type": "response.output_item.done", "output_index": 0, "item": whole}));
}
