use serde_json::{Value, json};

use super::rig::Fate::{At, Dropped, LeftBehind, Refused};
use super::rig::{FateTable, carry};
use crate::domain::proxy_dialect::ProxyDialect::{ChatCompletions, Messages, Responses};

/// A request with one of everything that is carried.
fn request() -> Value {
    json!({
        "model": "m",
        "instructions": "be brief",
        "input": [
            {"role": "developer", "content": [{"type": "input_text", "text": "be exact"}]},
            {"type": "message", "role": "user", "content": "look"},
            {"type": "message", "id": "msg_1", "status": "completed", "role": "assistant",
             "content": [{"type": "output_text", "text": "I look", "annotations": []}, {"type": "output_text", "text": "."}]},
            {"type": "function_call", "id": "fc_1", "status": "completed", "call_id": "c1", "name": "bash", "arguments": "{\"n\": 1e400}"},
            {"type": "function_call", "call_id": "c2", "name": "bash", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "c1", "output": "one"},
            {"type": "function_call_output", "call_id": "c2", "output": [{"type": "input_text", "text": "two"}]},
        ],
        "tools": [{"type": "function", "name": "bash", "description": "Runs.", "strict": false, "parameters": {"type": "object"}}],
        "stream": false,
    })
}

#[test]
fn a_conversation_of_items_becomes_messages() {
    let carried = carry(Responses, ChatCompletions, &request().to_string()).unwrap();
    assert_eq!(
        carried.body,
        json!({
            "model": "m",
            "messages": [
                {"role": "system", "content": "be brief\n\nbe exact"},
                {"role": "user", "content": "look"},
                {"role": "assistant", "content": "I look.", "tool_calls": [
                    {"id": "c1", "type": "function", "function": {"name": "bash", "arguments": "{\"n\": 1e400}"}},
                    {"id": "c2", "type": "function", "function": {"name": "bash", "arguments": "{}"}},
                ]},
                {"role": "tool", "content": "one", "tool_call_id": "c1"},
                {"role": "tool", "content": "two", "tool_call_id": "c2"},
            ],
            "tools": [{"type": "function", "function": {"name": "bash", "description": "Runs.", "parameters": {"type": "object"}}}],
            "max_tokens": 50,
            "stream": false,
        })
    );
    assert_eq!(carried.removed, Vec::<String>::new());
}

#[test]
fn every_key_has_its_fate() {
    let table = FateTable {
        from: Responses,
        into: ChatCompletions,
        request: request(),
    };
    let function = json!({"type": "function", "function": {"name": "bash"}});
    let schema = json!({"type": "object", "properties": {}, "additionalProperties": false, "required": []});
    for (pointer, value, fate) in [
        ("/max_output_tokens", json!(-1), Refused("max_output_tokens")),
        ("/temperature", json!(0.5), At("/temperature", json!(0.5))),
        ("/top_p", json!(0.25), At("/top_p", json!(0.25))),
        ("/tool_choice", json!("auto"), At("/tool_choice", json!("auto"))),
        (
            "/tool_choice",
            json!("required"),
            At("/tool_choice", json!("required")),
        ),
        ("/tool_choice", json!("none"), At("/tool_choice", json!("none"))),
        (
            "/tool_choice",
            json!({"type": "function", "name": "bash"}),
            At("/tool_choice", function),
        ),
        (
            "/tool_choice",
            json!({"type": "web_search"}),
            Refused("tool_choice.type"),
        ),
        (
            "/tool_choice",
            json!({"type": "allowed_tools", "tools": []}),
            Refused("tool_choice.tools"),
        ),
        (
            "/reasoning",
            json!({"effort": "low"}),
            At("/reasoning_effort", json!("low")),
        ),
        (
            "/reasoning",
            json!({"effort": "high"}),
            Dropped("effort of reasoning"),
        ),
        (
            "/reasoning",
            json!({"summary": "auto"}),
            Dropped("summary of reasoning"),
        ),
        ("/reasoning", json!({"budget": 7}), Refused("reasoning.budget")),
        ("/reasoning", Value::Null, LeftBehind),
        ("/text", json!({"verbosity": "low"}), Dropped("verbosity of text")),
        ("/text", json!({"format": {"type": "text"}}), LeftBehind),
        (
            "/text",
            json!({"format": {"type": "json_object"}}),
            At("/response_format/type", json!("json_object")),
        ),
        (
            "/text",
            json!({"format": {"type": "json_schema", "name": "n", "schema": schema, "strict": true}}),
            At("/response_format/json_schema/schema", schema.clone()),
        ),
        (
            "/text",
            json!({"format": {"type": "grammar", "syntax": "lark"}}),
            Refused("text.format.type"),
        ),
        ("/store", json!(false), Dropped("store")),
        (
            "/include",
            json!(["reasoning.encrypted_content"]),
            Dropped("include"),
        ),
        (
            "/parallel_tool_calls",
            json!(true),
            Dropped("parallel_tool_calls"),
        ),
        ("/prompt_cache_key", json!("k"), Dropped("prompt_cache_key")),
        ("/metadata", json!({"a": "b"}), Dropped("metadata")),
        ("/truncation", json!("auto"), Dropped("truncation")),
        ("/background", json!(false), LeftBehind),
        ("/context_management", json!([]), LeftBehind),
        (
            "/context_management",
            json!([{"type": "compaction"}]),
            Refused("context_management"),
        ),
        ("/top_logprobs", json!(2), Refused("top_logprobs")),
        ("/brand_new", json!(1), Refused("brand_new")),
        ("/temperature", json!("warm"), Refused("temperature")),
        (
            "/tools/-",
            json!({"type": "custom", "name": "apply_patch", "format": {}}),
            Refused("tools[1]"),
        ),
        (
            "/tools/-",
            json!({"type": "namespace", "name": "mcp", "tools": []}),
            Refused("tools[1]"),
        ),
        ("/tools/-", json!({"type": "local_shell"}), Refused("tools[1]")),
        ("/tools/-", json!({"name": "typeless"}), Refused("tools[1]")),
        (
            "/tools/0/strict",
            json!(true),
            At("/tools/0/function/strict", json!(true)),
        ),
        (
            "/tools/0/defer_loading",
            json!(true),
            Refused("tools[0].defer_loading"),
        ),
        (
            "/tools/0/output_schema",
            json!({}),
            Refused("tools[0].output_schema"),
        ),
        (
            "/input/1/phase",
            json!("commentary"),
            Dropped("phase of messages"),
        ),
        ("/input/1/role", json!("critic"), Refused("input[1].role")),
        (
            "/input/1/content",
            json!([{"type": "input_file", "file_data": "AA"}]),
            Refused("input[1].content[0].file_data"),
        ),
        (
            "/input/1/content",
            json!([{"type": "input_image", "file_id": "f"}]),
            Refused("input[1].content[0].file_id"),
        ),
        (
            "/input/1/content",
            json!([{"type": "input_image", "image_url": "data:image/png;base64,AAEC"}]),
            At(
                "/messages/1/content/1/image_url/url",
                json!("data:image/png;base64,AAEC"),
            ),
        ),
        (
            "/input/1/content",
            json!([{"type": "input_image", "image_url": "data:image/webp;base64,AA"}]),
            Refused("input[1].content[0].image_url"),
        ),
        (
            "/input/0/content",
            json!([{"type": "input_image", "image_url": "data:image/png;base64,AA=="}]),
            Refused("input[0].content"),
        ),
        (
            "/input/2/content",
            json!([{"type": "refusal", "refusal": "no"}]),
            At("/messages/2/content", json!("no")),
        ),
        ("/input/3/namespace", json!("mcp"), Refused("input[3].namespace")),
        (
            "/input/3/arguments",
            json!({"n": 1}),
            Refused("input[3].arguments"),
        ),
        ("/input/5/call_id", json!("c9"), Refused("input[5]")),
        (
            "/input/-",
            json!({"type": "item_reference", "id": "x"}),
            Refused("input[7].type"),
        ),
        (
            "/input/-",
            json!({"type": "custom_tool_call", "call_id": "x"}),
            Refused("input[7].type"),
        ),
        (
            "/input/-",
            json!({"type": "web_search_call"}),
            Refused("input[7].type"),
        ),
        (
            "/input/-",
            json!({"type": "compaction", "encrypted_content": "x"}),
            Refused("input[7].type"),
        ),
        (
            "/input/-",
            json!({"type": "reasoning", "id": "rs", "encrypted_content": "gAAA", "summary": []}),
            Refused("input[7].encrypted_content"),
        ),
        (
            "/input/-",
            json!({"type": "reasoning", "id": "rs", "encrypted_content": null}),
            Dropped("reasoning that is not encrypted"),
        ),
        (
            "/input/-",
            json!({"type": "function_call_output", "call_id": "c1", "output": [{"type": "input_audio"}]}),
            Refused("input[7].output[0].type"),
        ),
        ("/input/-", json!(7), Refused("input[7]")),
        ("/input", json!({"role": "user"}), Refused("input")),
    ] {
        table.check(pointer, value, &fate);
    }
}

#[test]
fn a_text_alone_is_what_the_user_says_and_a_picture_of_a_result_follows_it() {
    let alone = json!({"model": "m", "input": "hello"}).to_string();
    let carried = carry(Responses, ChatCompletions, &alone).unwrap();
    assert_eq!(
        carried.body["messages"],
        json!([{"role": "user", "content": "hello"}])
    );
    let mut seen = request();
    seen["input"][5]["output"] =
        json!([{"type": "input_image", "image_url": "data:image/jpeg;base64,AAEC", "detail": "high"}]);
    let carried = carry(Responses, ChatCompletions, &seen.to_string()).unwrap();
    let messages = &carried.body["messages"];
    assert_eq!(messages[3]["content"], "(a picture, which follows)");
    assert_eq!(
        (&messages[4]["role"], &messages[5]["role"]),
        (&json!("tool"), &json!("user"))
    );
    assert_eq!(
        messages[5]["content"][1]["image_url"]["url"],
        "data:image/jpeg;base64,AAEC"
    );
    assert_eq!(carried.removed, ["detail of parts"]);
}

#[test]
fn what_messages_have_no_place_for_is_refused_there() {
    let mut request = request();
    let carried = carry(Responses, Messages, &request.to_string()).unwrap();
    assert_eq!(carried.body["system"][0]["text"], "be brief\n\nbe exact");
    assert_eq!(carried.body["messages"][1]["content"][1]["type"], "tool_use");
    assert_eq!(carried.body["messages"][2]["content"][1]["tool_use_id"], "c2");
    request["tool_choice"] = json!("required");
    request["reasoning"] = json!({"effort": "low"});
    request["tools"][0]["strict"] = json!(true);
    let carried = carry(Responses, Messages, &request.to_string()).unwrap();
    assert_eq!(carried.body["tool_choice"], json!({"type": "any"}));
    assert_eq!(carried.removed, ["effort", "strict of tools"]);
    assert_eq!(carried.body.get("thinking"), None);
    for (item, place) in [
        (json!({"role": "developer", "content": "late"}), "input[7]"),
        (json!({"role": "assistant", "content": "So"}), "messages"),
    ] {
        let mut request = self::request();
        request["input"].as_array_mut().unwrap().push(item);
        let why = carry(Responses, Messages, &request.to_string())
            .unwrap_err()
            .to_string();
        assert!(why.contains(&format!("`{place}`")), "{why}");
    }
}
