use serde_json::{Value, json};

use super::rig::Fate::{At, Dropped, LeftBehind, Refused};
use super::rig::{FateTable, carry};
use crate::domain::proxy_dialect::ProxyDialect::{ChatCompletions, Messages, Responses};

/// A request with one of everything that is carried.
fn request() -> Value {
    json!({
        "model": "m",
        "max_tokens": 50,
        "system": [{"type": "text", "text": "be brief"}, {"type": "text", "text": "be exact"}],
        "messages": [
            {"role": "user", "content": "look"},
            {"role": "assistant", "content": [
                {"type": "text", "text": "I look."},
                {"type": "tool_use", "id": "t1", "name": "bash", "input": {"n": 1}},
                {"type": "tool_use", "id": "t2", "name": "bash", "input": {}},
            ]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "one"}]},
                {"type": "tool_result", "tool_use_id": "t2", "content": "two", "is_error": true},
                {"type": "text", "text": "go on"},
            ]},
        ],
        "tools": [{"name": "bash", "description": "Runs.", "input_schema": {"type": "object"}}],
    })
}

#[test]
fn a_conversation_of_blocks_becomes_messages() {
    // Numbers that a reader would round stay as they are.
    let exact = request()
        .to_string()
        .replace("{\"n\":1}", "{\"n\": 12345678901234567890123, \"x\": 1e400}");
    let carried = carry(Messages, ChatCompletions, &exact).unwrap();
    assert_eq!(
        carried.body["messages"],
        json!([
            {"role": "system", "content": "be brief\n\nbe exact"},
            {"role": "user", "content": "look"},
            {"role": "assistant", "content": "I look.", "tool_calls": [
                {"id": "t1", "type": "function", "function": {"name": "bash", "arguments": "{\"n\": 12345678901234567890123, \"x\": 1e400}"}},
                {"id": "t2", "type": "function", "function": {"name": "bash", "arguments": "{}"}},
            ]},
            {"role": "tool", "content": "one", "tool_call_id": "t1"},
            {"role": "tool", "content": "The tool reports an error:\ntwo", "tool_call_id": "t2"},
            {"role": "user", "content": "go on"},
        ])
    );
    assert_eq!(carried.body["max_tokens"], 50);
    assert_eq!(carried.removed, Vec::<String>::new());
}

#[test]
fn every_key_has_its_fate() {
    let table = FateTable {
        from: Messages,
        into: ChatCompletions,
        request: request(),
    };
    let cached = json!({"type": "ephemeral"});
    let schema = json!({"type": "object", "properties": {}, "additionalProperties": false, "required": []});
    let keeping = json!({"edits": [{"type": "clear_thinking_20251015", "keep": "all"}]});
    for (pointer, value, fate) in [
        ("/temperature", json!(1), At("/temperature", json!(1.0))),
        ("/top_p", json!(0.25), At("/top_p", json!(0.25))),
        ("/top_k", json!(5), Refused("top_k")),
        ("/max_tokens", json!("50"), Refused("max_tokens")),
        ("/stop_sequences", json!(["END"]), At("/stop", json!(["END"]))),
        (
            "/stop_sequences",
            json!(["a", "b", "c", "d", "e"]),
            Refused("stop_sequences"),
        ),
        (
            "/tool_choice",
            json!({"type": "auto"}),
            At("/tool_choice", json!("auto")),
        ),
        (
            "/tool_choice",
            json!({"type": "any"}),
            At("/tool_choice", json!("required")),
        ),
        (
            "/tool_choice",
            json!({"type": "none"}),
            At("/tool_choice", json!("none")),
        ),
        (
            "/tool_choice",
            json!({"type": "tool", "name": "bash"}),
            At("/tool_choice/function/name", json!("bash")),
        ),
        (
            "/thinking",
            json!({"type": "enabled", "budget_tokens": 2000}),
            Dropped("thinking"),
        ),
        ("/metadata", json!({"user_id": "u"}), Dropped("metadata")),
        (
            "/output_config",
            json!({"effort": "low"}),
            At("/reasoning_effort", json!("low")),
        ),
        (
            "/output_config",
            json!({"effort": "max"}),
            Dropped("effort of output_config"),
        ),
        (
            "/output_config",
            json!({"format": {"type": "json_schema", "schema": schema}}),
            At("/response_format/json_schema/schema", schema.clone()),
        ),
        (
            "/output_config",
            json!({"task_budget": 1}),
            Refused("output_config.task_budget"),
        ),
        (
            "/context_management",
            keeping,
            Dropped("context_management that clears thoughts alone"),
        ),
        (
            "/context_management",
            json!({"edits": [{"type": "clear_tool_uses_20250919"}]}),
            Refused("context_management.edits[0].type"),
        ),
        ("/brand_new", json!(1), Refused("brand_new")),
        ("/tools/0/type", json!("custom"), LeftBehind),
        ("/tools/0/type", json!("bash_20250124"), Refused("tools[0]")),
        (
            "/tools/0/cache_control",
            cached.clone(),
            Dropped("cache_control of tools"),
        ),
        (
            "/tools/0/strict",
            json!(true),
            At("/tools/0/function/strict", json!(true)),
        ),
        (
            "/tools/0/input_examples",
            json!([{"command": "ls"}]),
            Refused("tools[0].input_examples"),
        ),
        (
            "/tools/0/allowed_callers",
            json!(["code"]),
            Refused("tools[0].allowed_callers"),
        ),
        (
            "/system/0/cache_control",
            cached.clone(),
            Dropped("cache_control of blocks"),
        ),
        (
            "/system/0/citations",
            json!([{"a": 1}]),
            Refused("system[0].citations"),
        ),
        (
            "/messages/0/content",
            json!([{"type": "document", "source": {}}]),
            Refused("messages[0].content[0].type"),
        ),
        (
            "/messages/0/content",
            json!([{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAEC"}}]),
            At(
                "/messages/1/content/1/image_url/url",
                json!("data:image/png;base64,AAEC"),
            ),
        ),
        (
            "/messages/0/content",
            json!([{"type": "image", "source": {"type": "file", "file_id": "f"}}]),
            Refused("messages[0].content[0].source.file_id"),
        ),
        (
            "/messages/1/content/0",
            json!({"type": "thinking", "thinking": "hm", "signature": "c2ln"}),
            Refused("messages[1].content[0]"),
        ),
        (
            "/messages/1/content/0",
            json!({"type": "redacted_thinking", "data": "x"}),
            Refused("messages[1].content[0]"),
        ),
        (
            "/messages/1/content/0",
            json!({"type": "server_tool_use", "id": "s"}),
            Refused("messages[1].content[0].type"),
        ),
        (
            "/messages/1/content/-",
            json!({"type": "text", "text": "behind"}),
            Refused("messages[1].content[3]"),
        ),
        (
            "/messages/1/content/1/caller",
            json!({"type": "direct"}),
            LeftBehind,
        ),
        (
            "/messages/2/content/0/tool_use_id",
            json!("t9"),
            Refused("messages[2].content[0]"),
        ),
        (
            "/messages/2/content/-",
            json!({"type": "tool_result", "tool_use_id": "t1"}),
            Refused("messages[2].content[3]"),
        ),
        (
            "/messages/-",
            json!({"role": "system", "content": "mind"}),
            At("/messages/6", json!({"role": "system", "content": "mind"})),
        ),
        (
            "/messages/-",
            json!({"role": "assistant", "content": "{"}),
            Refused("messages[3]"),
        ),
        (
            "/messages/-",
            json!({"role": "critic", "content": "x"}),
            Refused("messages[3].role"),
        ),
    ] {
        table.check(pointer, value, &fate);
    }
}

#[test]
fn what_responses_have_no_place_for_is_refused_there() {
    let mut request = request();
    request["tool_choice"] = json!({"type": "tool", "name": "bash"});
    let carried = carry(Messages, Responses, &request.to_string()).unwrap();
    assert_eq!(
        carried.body["tool_choice"],
        json!({"type": "function", "name": "bash"})
    );
    assert_eq!(carried.body["input"][3]["call_id"], "t1");
    assert_eq!(carried.body["max_output_tokens"], 50);
    request["stop_sequences"] = json!(["END"]);
    let why = carry(Messages, Responses, &request.to_string())
        .unwrap_err()
        .to_string();
    assert!(why.contains("`stop_sequences`"), "{why}");
}
