//! An answer as Messages has it.

use serde_json::{Value, json};

use super::answer_events::named;
use super::served_answer::ServedAnswer;
use crate::domain::conversation::Finish;
use crate::model::openai::messages::object_text;

/// The document of an answer.
pub fn document(answer: &ServedAnswer<'_>) -> String {
    let text = &answer.response.text;
    let said = (!text.is_empty()).then(|| json!({"type": "text", "text": text}).to_string());
    let calls = answer.response.calls.iter().map(|call| {
        // The arguments stand as they were written: a reading would round their numbers.
        format!(
            "{{\"type\":\"tool_use\",\"id\":{},\"name\":{},\"input\":{}}}",
            Value::from(call.id.as_str()),
            Value::from(call.name.as_str()),
            object_text(&call.arguments)
        )
    });
    let content: Vec<String> = said.into_iter().chain(calls).collect();
    format!(
        "{{\"id\":\"msg_{}\",\"type\":\"message\",\"role\":\"assistant\",\"model\":{},\"content\":[{}],\"stop_reason\":\"{}\",\
         \"stop_sequence\":null,\"usage\":{}}}",
        answer.id,
        Value::from(answer.model),
        content.join(","),
        reason(answer),
        usage(answer)
    )
}

fn reason(answer: &ServedAnswer<'_>) -> &'static str {
    match answer.response.finish {
        Finish::Length => "max_tokens",
        Finish::Refused => "refusal",
        Finish::Stop if answer.response.calls.is_empty() => "end_turn",
        Finish::Stop => "tool_use",
    }
}

/// Its tokens; zeros where the provider has counted none, since clients take nothing else.
fn usage(answer: &ServedAnswer<'_>) -> Value {
    let usage = answer.response.usage;
    json!({
        "input_tokens": usage.input.saturating_sub(usage.cached),
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": usage.cached,
        "output_tokens": usage.output,
    })
}

/// The stream of an answer, block by block.
pub fn stream(answer: &ServedAnswer<'_>) -> String {
    let mut begun = usage(answer);
    begun["output_tokens"] = json!(0);
    let message = json!({
        "id": format!("msg_{}", answer.id), "type": "message", "role": "assistant", "model": answer.model,
        "content": [], "stop_reason": null, "stop_sequence": null, "usage": begun,
    });
    let mut stream = named(&json!({"type": "message_start", "message": message}));
    let mut index = 0;
    let mut block = |start: Value, delta: Value| {
        stream.push_str(&named(
            &json!({"type": "content_block_start", "index": index, "content_block": start}),
        ));
        stream.push_str(&named(
            &json!({"type": "content_block_delta", "index": index, "delta": delta}),
        ));
        stream.push_str(&named(&json!({"type": "content_block_stop", "index": index})));
        index += 1;
    };
    let text = &answer.response.text;
    if !text.is_empty() {
        block(
            json!({"type": "text", "text": ""}),
            json!({"type": "text_delta", "text": text}),
        );
    }
    for call in &answer.response.calls {
        block(
            json!({"type": "tool_use", "id": call.id, "name": call.name, "input": {}}),
            json!({"type": "input_json_delta", "partial_json": object_text(&call.arguments)}),
        );
    }
    let delta = json!({"stop_reason": reason(answer), "stop_sequence": null});
    stream.push_str(&named(
        &json!({"type": "message_delta", "delta": delta, "usage": usage(answer)}),
    ));
    stream.push_str(&named(&json!({"type": "message_stop"})));
    stream
}
