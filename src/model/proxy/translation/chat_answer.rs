//! An answer as chat completions have it.

use serde_json::{Value, json};

use super::answer_events::plain;
use super::served_answer::ServedAnswer;
use crate::domain::conversation::Finish;

/// The document of an answer.
pub fn document(answer: &ServedAnswer<'_>) -> Value {
    let response = answer.response;
    let (content, refusal) = texts(answer);
    let mut message = json!({"role": "assistant", "content": content, "refusal": refusal});
    if !response.calls.is_empty() {
        message["tool_calls"] = response
            .calls
            .iter()
            .map(|call| {
                json!({"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}})
            })
            .collect();
    }
    let choice = json!({"index": 0, "message": message, "logprobs": null, "finish_reason": reason(answer)});
    let mut document = json!({
        "id": format!("chatcmpl-{}", answer.id), "object": "chat.completion", "created": answer.created,
        "model": answer.model, "choices": [choice],
    });
    if answer.is_counted() {
        document["usage"] = usage(answer);
    }
    document
}

/// What is said, and what is said in declining.
fn texts<'a>(answer: &ServedAnswer<'a>) -> (Option<&'a str>, Option<&'a str>) {
    let text = answer.response.text.as_str();
    match answer.response.finish {
        Finish::Refused => (None, Some(text)),
        _ if text.is_empty() && !answer.response.calls.is_empty() => (None, None),
        _ => (Some(text), None),
    }
}

fn reason(answer: &ServedAnswer<'_>) -> &'static str {
    match answer.response.finish {
        Finish::Length => "length",
        Finish::Refused => "content_filter",
        Finish::Stop if answer.response.calls.is_empty() => "stop",
        Finish::Stop => "tool_calls",
    }
}

fn usage(answer: &ServedAnswer<'_>) -> Value {
    let usage = answer.response.usage;
    json!({
        "prompt_tokens": usage.input,
        "completion_tokens": usage.output,
        "total_tokens": usage.total(),
        "prompt_tokens_details": {"cached_tokens": usage.cached},
        "completion_tokens_details": {"reasoning_tokens": usage.reasoning},
    })
}

/// The stream of an answer, with its tokens at the end where the client asks for them.
pub fn stream(answer: &ServedAnswer<'_>) -> String {
    let chunk = |choices: Value| {
        json!({
            "id": format!("chatcmpl-{}", answer.id), "object": "chat.completion.chunk",
            "created": answer.created, "model": answer.model, "choices": choices,
        })
    };
    let piece = |delta: Value, reason: Value| {
        plain(&chunk(
            json!([{"index": 0, "delta": delta, "logprobs": null, "finish_reason": reason}]),
        ))
    };
    let (content, refusal) = texts(answer);
    let mut stream = piece(
        json!({"role": "assistant", "content": content.map(|_| "")}),
        Value::Null,
    );
    if let Some(text) = content.filter(|text| !text.is_empty()) {
        stream.push_str(&piece(json!({ "content": text }), Value::Null));
    }
    if let Some(text) = refusal {
        stream.push_str(&piece(json!({ "refusal": text }), Value::Null));
    }
    for (index, call) in answer.response.calls.iter().enumerate() {
        let begun = json!({"index": index, "id": call.id, "type": "function", "function": {"name": call.name, "arguments": ""}});
        stream.push_str(&piece(json!({ "tool_calls": [begun] }), Value::Null));
        let more = json!({"index": index, "function": {"arguments": call.arguments}});
        stream.push_str(&piece(json!({ "tool_calls": [more] }), Value::Null));
    }
    stream.push_str(&piece(json!({}), json!(reason(answer))));
    if answer.counts_tokens {
        let mut last = chunk(json!([]));
        last["usage"] = usage(answer);
        stream.push_str(&plain(&last));
    }
    stream.push_str("data: [DONE]\n\n");
    stream
}
