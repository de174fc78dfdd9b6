//! An answer as generateContent has it.

use serde_json::{Value, json};

use super::served_answer::ServedAnswer;
use crate::domain::conversation::Finish;
use crate::model::openai::messages::object_text;

/// The document of an answer.
pub fn document(answer: &ServedAnswer<'_>) -> String {
    response(answer, &parts(answer), true)
}

/// The stream of an answer: documents with a part each, of which the last one tells how it ended.
pub fn stream(answer: &ServedAnswer<'_>) -> String {
    let parts = parts(answer);
    let event = |parts, is_last| format!("data: {}\n\n", response(answer, parts, is_last));
    match parts.split_last() {
        Some((last, before)) => {
            let before = before.chunks(1).map(|part| event(part, false));
            before.chain([event(std::slice::from_ref(last), true)]).collect()
        }
        None => event(&[], true),
    }
}

/// The parts of an answer: its text, then its calls. One that says nothing has an empty text, unless it declines.
fn parts(answer: &ServedAnswer<'_>) -> Vec<String> {
    let response = answer.response;
    let is_silent = !response.calls.is_empty() || response.finish == Finish::Refused;
    let said = (!response.text.is_empty() || !is_silent).then(|| json!({"text": response.text}).to_string());
    let calls = response.calls.iter().map(|call| {
        // The arguments stand as they were written, since a reading would round their numbers; their lines are
        // one, as an event of a stream is.
        let arguments = object_text(&call.arguments).replace(['\n', '\r'], " ");
        format!(
            "{{\"functionCall\":{{\"id\":{},\"name\":{},\"args\":{arguments}}}}}",
            Value::from(call.id.as_str()),
            Value::from(call.name.as_str())
        )
    });
    said.into_iter().chain(calls).collect()
}

fn response(answer: &ServedAnswer<'_>, parts: &[String], is_last: bool) -> String {
    let reason = match is_last {
        true => format!("\"finishReason\":\"{}\",", reason(answer)),
        false => String::new(),
    };
    let usage = match is_last && answer.is_counted() {
        true => format!("\"usageMetadata\":{},", usage(answer)),
        false => String::new(),
    };
    format!(
        "{{\"candidates\":[{{\"content\":{{\"role\":\"model\",\"parts\":[{}]}},{reason}\"index\":0}}],{usage}\
         \"modelVersion\":{},\"responseId\":\"{}\"}}",
        parts.join(","),
        Value::from(answer.model),
        answer.id
    )
}

fn reason(answer: &ServedAnswer<'_>) -> &'static str {
    match answer.response.finish {
        Finish::Length => "MAX_TOKENS",
        Finish::Refused => "SAFETY",
        Finish::Stop => "STOP",
    }
}

/// Its tokens. What was thought is counted apart from what was said.
fn usage(answer: &ServedAnswer<'_>) -> Value {
    let usage = answer.response.usage;
    json!({
        "promptTokenCount": usage.input,
        "cachedContentTokenCount": usage.cached,
        "candidatesTokenCount": usage.output.saturating_sub(usage.reasoning),
        "thoughtsTokenCount": usage.reasoning,
        "totalTokenCount": usage.total(),
    })
}
