use serde_json::{Value, json};

use super::rig::Fate::{At, Dropped, LeftBehind, Refused};
use super::rig::{FateTable, carry};
use crate::domain::proxy_dialect::ProxyDialect::{ChatCompletions, Messages, Responses};

/// A request with one of everything that is carried.
fn request() -> Value {
    json!({
        "model": "m",
        "messages": [
            {"role": "system", "content": "be brief"},
            {"role": "user", "content": [{"type": "text", "text": "look"}, {"type": "text", "text": "well"}]},
            {"role": "assistant", "content": null, "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "bash", "arguments": "{\"n\": 1}"}},
            ]},
            {"role": "tool", "tool_call_id": "c1", "content": "one"},
        ],
        "tools": [{"type": "function", "function": {"name": "bash", "parameters": {"type": "object"}}}],
        "max_tokens": 50,
    })
}

#[test]
fn every_key_has_its_fate() {
    let table = FateTable {
        from: ChatCompletions,
        into: Messages,
        request: request(),
    };
    let open = json!({"type": "json_schema", "json_schema": {"name": "n", "schema": {"type": "object"}}});
    let signed = json!({"google": {"thought_signature": "c2ln"}});
    for (pointer, value, fate) in [
        ("/temperature", json!(0.5), At("/temperature", json!(0.5))),
        ("/stop", json!("END"), At("/stop_sequences", json!(["END"]))),
        (
            "/tool_choice",
            json!("required"),
            At("/tool_choice/type", json!("any")),
        ),
        (
            "/tool_choice",
            json!({"type": "function", "function": {"name": "bash"}}),
            At("/tool_choice/name", json!("bash")),
        ),
        (
            "/tool_choice",
            json!({"type": "custom", "custom": {}}),
            Refused("tool_choice.custom"),
        ),
        ("/max_tokens", json!("50"), Refused("max_tokens")),
        (
            "/max_completion_tokens",
            json!(1.5),
            Refused("max_completion_tokens"),
        ),
        ("/seed", json!(7), Dropped("seed")),
        ("/reasoning_effort", json!("low"), Dropped("effort")),
        ("/reasoning_effort", json!("high"), Dropped("reasoning_effort")),
        ("/response_format", json!({"type": "text"}), LeftBehind),
        (
            "/response_format",
            json!({"type": "json_object"}),
            Refused("response_format"),
        ),
        ("/response_format", open, Refused("response_format")),
        ("/stream_options", json!({"include_usage": true}), LeftBehind),
        ("/modalities", json!(["text"]), LeftBehind),
        ("/modalities", json!(["text", "audio"]), Refused("modalities")),
        ("/logprobs", json!(true), Refused("logprobs")),
        ("/frequency_penalty", json!(0), LeftBehind),
        ("/presence_penalty", json!(0.5), Refused("presence_penalty")),
        ("/logit_bias", json!({"7": 1}), Refused("logit_bias")),
        ("/store", json!(true), Dropped("store")),
        ("/functions", json!([]), Refused("functions")),
        (
            "/tools/-",
            json!({"type": "custom", "custom": {"name": "p"}}),
            Refused("tools[1].custom"),
        ),
        (
            "/tools/0/function/strict",
            json!(true),
            Dropped("strict of tools"),
        ),
        ("/messages/1/name", json!("ann"), Dropped("name of messages")),
        (
            "/messages/1/content",
            json!([{"type": "input_audio", "input_audio": {}}]),
            Refused("messages[1].content[0].input_audio"),
        ),
        (
            "/messages/2/reasoning_content",
            json!("hm"),
            Dropped("reasoning_content of messages"),
        ),
        (
            "/messages/2/reasoning_details",
            json!([{}]),
            Refused("messages[2].reasoning_details"),
        ),
        (
            "/messages/2/tool_calls/0/extra_content",
            signed,
            Refused("messages[2].tool_calls[0].extra_content"),
        ),
        (
            "/messages/2/tool_calls/0/type",
            json!("custom"),
            Refused("messages[2].tool_calls[0].type"),
        ),
        ("/messages/3/tool_call_id", json!("c9"), Refused("messages[3]")),
        (
            "/messages/-",
            json!({"role": "assistant", "content": "So"}),
            Refused("messages"),
        ),
        (
            "/messages/-",
            json!({"role": "developer", "content": "late"}),
            Refused("messages[4]"),
        ),
        (
            "/messages/-",
            json!({"role": "function", "name": "f", "content": "x"}),
            Refused("messages[4].role"),
        ),
    ] {
        table.check(pointer, value, &fate);
    }
}

#[test]
fn a_conversation_becomes_items() {
    let mut request = request();
    request["response_format"] = json!({"type": "json_object"});
    request["tools"][0]["function"]["strict"] = json!(true);
    let carried = carry(ChatCompletions, Responses, &request.to_string()).unwrap();
    assert_eq!(
        carried.body["input"],
        json!([
            {"role": "system", "content": "be brief"},
            {"role": "user", "content": "look\n\nwell"},
            {"type": "function_call", "call_id": "c1", "name": "bash", "arguments": "{\"n\": 1}"},
            {"type": "function_call_output", "call_id": "c1", "output": "one"},
        ])
    );
    assert_eq!(carried.body["text"], json!({"format": {"type": "json_object"}}));
    assert_eq!(carried.body["tools"][0]["strict"], true);
}
