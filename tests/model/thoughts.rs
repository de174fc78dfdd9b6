//! Signed and encrypted reasoning, which goes back to its provider as it came, streamed or not, and
//! to nobody else.

use std::sync::Arc;

use jiff::Timestamp;
use reprise::domain::clock::FixedClock;
use reprise::domain::conversation::ChatResponse;
use reprise::model::capabilities::ModelTable;
use reprise::model::key::Key;
use reprise::model::recording::recorder::Tape;
use reprise::model::served::{Serving, serve};
use serde_json::{Value, json};

use crate::support::dialects::CANARY;
use crate::support::requests::{ask, next, tool, user};
use crate::support::server::{Reply, Server, json as answered};

/// Asks twice: what is sent the second time, and what was answered the first.
async fn second(name: &str, first: Reply, streamed: bool) -> (Value, ChatResponse) {
    let whole = if name.starts_with("anthropic") {
        json!({"content": [{"type": "text", "text": "done"}], "stop_reason": "end_turn"})
    } else if name.contains("gpt-5-pro") {
        json!({"output": [{"type": "message", "content": [{"type": "output_text", "text": "done"}]}]})
    } else {
        json!({"choices": [{"message": {"content": "done"}, "finish_reason": "stop"}]})
    };
    let server = Server::start(vec![first, answered(whole)]).await;
    let model = |streamed: bool| {
        let serving = Serving {
            key: Some(Key::new(CANARY).unwrap()),
            base: Some(format!("http://{}/v1", server.address).parse().unwrap()),
            capabilities: ModelTable::built_in().unwrap().get(name),
            on_progress: streamed.then(|| -> reprise::model::progress::OnProgress { Arc::new(|_| {}) }),
            ..Serving::default()
        };
        let clock = Arc::new(FixedClock(Timestamp::UNIX_EPOCH));
        serve(&name.parse().unwrap(), serving, clock).unwrap()
    };
    let asked = ask(0, "x");
    let response = model(streamed).chat(&asked).await.unwrap();
    let more = match response.calls.is_empty() {
        true => vec![user("go on")],
        false => (response.calls.iter())
            .map(|call| {
                let one = ChatResponse {
                    calls: vec![call.clone()],
                    ..response.clone()
                };
                tool(&one, "seen", None)
            })
            .collect(),
    };
    let again = next(&asked, &response, more);
    model(false).chat(&again).await.unwrap();
    (server.seen()[1].body.clone(), response)
}

fn stream(events: &[Value]) -> Reply {
    let text: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
    Reply::Streams(vec![text.into_bytes()])
}

#[tokio::test]
async fn blocks_of_anthropics_stand_where_they_stood() {
    let thinking = json!({"type": "thinking", "thinking": "Which file?", "signature": "c2lnbmVk=="});
    let hidden = json!({"type": "redacted_thinking", "data": "ZW5jcnlwdGVk"});
    let between = json!({"type": "thinking", "thinking": "And that.", "signature": "YWdhaW4="});
    let call = |id: &str| json!({"type": "tool_use", "id": id, "name": "read_file", "input": {"path": id}});
    let said = json!({"type": "text", "text": "I look."});
    let content = json!([thinking, hidden, said, call("a"), between, call("b")]);
    let whole = answered(json!({"content": content, "stop_reason": "tool_use"}));

    let mut events = vec![json!({"type": "message_start", "message": {"usage": {"input_tokens": 1}}})];
    for (index, block) in content.as_array().unwrap().iter().enumerate() {
        let kind = block["type"].as_str().unwrap();
        let mut start = block.clone();
        let deltas = match kind {
            "thinking" => {
                (start["thinking"], start["signature"]) = (json!(""), json!(""));
                let (begin, end) = block["thinking"].as_str().unwrap().split_at(4);
                vec![
                    json!({"type": "thinking_delta", "thinking": begin}),
                    json!({"type": "thinking_delta", "thinking": end}),
                    json!({"type": "signature_delta", "signature": block["signature"]}),
                ]
            }
            "text" => {
                start["text"] = json!("");
                vec![json!({"type": "text_delta", "text": block["text"]})]
            }
            "tool_use" => {
                start["input"] = json!({});
                vec![json!({"type": "input_json_delta", "partial_json": block["input"].to_string()})]
            }
            _ => vec![],
        };
        events.push(json!({"type": "content_block_start", "index": index, "content_block": start}));
        events.extend(
            deltas
                .into_iter()
                .map(|delta| json!({"type": "content_block_delta", "index": index, "delta": delta})),
        );
    }
    events.push(json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}}));
    events.push(json!({"type": "message_stop"}));

    for (reply, streamed) in [(whole, false), (stream(&events), true)] {
        let (body, response) = second("anthropic/claude-sonnet-4-5", reply, streamed).await;
        assert_eq!(body["messages"][1]["content"], content, "streamed: {streamed}");
        assert_eq!(response.text, "I look.", "a thought is not said");
    }
}

#[tokio::test]
async fn items_of_reasoning_stand_before_what_they_led_to() {
    let reasoning = |id: &str| json!({"id": id, "type": "reasoning", "summary": [], "encrypted_content": format!("gAAA{id}")});
    let call = |id: &str| json!({"id": format!("fc_{id}"), "type": "function_call", "call_id": id, "name": "read_file", "arguments": "{}", "status": "completed"});
    let bare = json!({"id": "rs_0", "type": "reasoning", "summary": [], "encrypted_content": null});
    let document = json!({"status": "completed", "output": [bare, reasoning("rs_1"), call("a"), reasoning("rs_2"), call("b")]});
    let event = json!({"type": "response.completed", "response": document});
    for (reply, streamed) in [(answered(document), false), (stream(&[event]), true)] {
        let (body, _) = second("openai/gpt-5-pro", reply, streamed).await;
        let input = body["input"].as_array().unwrap();
        let sent = |id: &str| json!({"type": "function_call", "call_id": id, "name": "read_file", "arguments": "{}"});
        assert_eq!(
            input[2..6],
            [reasoning("rs_1"), sent("a"), reasoning("rs_2"), sent("b")],
            "streamed: {streamed}"
        );
        assert_eq!(body["include"], json!(["reasoning.encrypted_content"]));
    }
}

#[tokio::test]
async fn geminis_signatures_stay_with_their_calls_and_their_text() {
    let signed = json!({"google": {"thought_signature": "c2lnbmVkLWNhbGw="}});
    let of_text = json!({"google": {"thought_signature": "c2lnbmVkLXRleHQ="}});
    let call = |id: &str| json!({"id": id, "type": "function", "function": {"name": "read_file", "arguments": "{}"}});
    let mut first = call("a");
    first["extra_content"] = signed.clone();
    let message = json!({"role": "assistant", "content": "I look.", "extra_content": of_text, "tool_calls": [first, call("b")]});
    let whole = answered(json!({"choices": [{"message": message, "finish_reason": "tool_calls"}]}));
    let mut pieces = vec![json!({"content": "I look.", "extra_content": of_text})];
    for (index, call) in message["tool_calls"].as_array().unwrap().iter().enumerate() {
        let mut call = call.clone();
        call["index"] = json!(index);
        pieces.push(json!({"tool_calls": [call]}));
    }
    let mut events: Vec<_> = (pieces.into_iter())
        .map(|delta| json!({"choices": [{"index": 0, "delta": delta}]}))
        .collect();
    events.push(json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}));
    for (reply, streamed) in [(whole, false), (stream(&events), true)] {
        let (body, _) = second("gemini/gemini-3-pro-preview", reply, streamed).await;
        assert_eq!(body["messages"][2], message, "streamed: {streamed}");
    }
}

#[tokio::test]
async fn details_of_reasoning_go_back_to_openrouter_whole() {
    let text = json!({"type": "reasoning.text", "text": "Which file?", "signature": "c2ln", "id": "r1", "format": "anthropic-claude-v1", "index": 0});
    let hidden = json!({"type": "reasoning.encrypted", "data": "ZW5j", "id": "r2", "format": "anthropic-claude-v1", "index": 1});
    let call = json!({"id": "a", "type": "function", "function": {"name": "read_file", "arguments": "{}"}});
    let message = json!({"role": "assistant", "content": null, "reasoning": "Which file?", "reasoning_details": [text, hidden], "tool_calls": [call]});
    let whole = answered(json!({"choices": [{"message": message, "finish_reason": "tool_calls"}]}));
    let begun = json!({"type": "reasoning.text", "text": "Which", "signature": null, "id": "r1", "format": "anthropic-claude-v1", "index": 0});
    let more = json!({"type": "reasoning.text", "text": " file?", "signature": "c2ln", "index": 0});
    let deltas = [
        json!({"reasoning_details": [begun]}),
        json!({"reasoning_details": [more]}),
        json!({"reasoning_details": [hidden]}),
        json!({"tool_calls": [{"index": 0, "id": "a", "function": {"name": "read_file", "arguments": "{}"}}]}),
    ];
    let mut events: Vec<_> = (deltas.into_iter())
        .map(|delta| json!({"choices": [{"index": 0, "delta": delta}]}))
        .collect();
    events.push(json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}));
    for (reply, streamed) in [(whole, false), (stream(&events), true)] {
        let (body, _) = second("openrouter/anthropic/claude-sonnet-4.5", reply, streamed).await;
        let sent = &body["messages"][2];
        assert_eq!(
            sent["reasoning_details"],
            json!([text, hidden]),
            "streamed: {streamed}"
        );
    }
}

#[tokio::test]
async fn thoughts_reach_no_other_dialect_and_no_recording() {
    let thinking = json!({"type": "thinking", "thinking": "CANARY", "signature": "CANARY"});
    let call = json!({"type": "tool_use", "id": "a", "name": "read_file", "input": {}});
    let reply = answered(json!({"content": [thinking, call], "stop_reason": "tool_use"}));
    let (_, response) = second("anthropic/claude-sonnet-4-5", reply, false).await;
    assert!(response.thoughts.is_some());
    let asked = ask(0, "x");
    let again = next(&asked, &response, vec![tool(&response, "seen", None)]);

    let server = Server::start(vec![answered(
        json!({"choices": [{"message": {"content": "done"}, "finish_reason": "stop"}]}),
    )])
    .await;
    let serving = Serving {
        base: Some(format!("http://{}/v1", server.address).parse().unwrap()),
        ..Serving::default()
    };
    let clock = Arc::new(FixedClock(Timestamp::UNIX_EPOCH));
    let other = serve(&"vllm/m".parse().unwrap(), serving, clock).unwrap();
    let last = other.chat(&again).await.unwrap();
    assert!(!server.seen()[0].body.to_string().contains("CANARY"));

    let mut tape = Tape::default();
    tape.note(&asked, &response);
    tape.note(&again, &last);
    let recorded = tape.recording("m").unwrap().to_json().unwrap();
    assert!(!recorded.contains("CANARY"), "{recorded}");
}
