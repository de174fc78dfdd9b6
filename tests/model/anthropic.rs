//! The Messages interface over a real socket.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use reprise::domain::clock::FixedClock;
use reprise::domain::conversation::Finish;
use reprise::model::attempt::AttemptFault;
use reprise::model::chat::{ChatModel, ModelError};
use reprise::model::client::Client;
use reprise::model::timeouts::AttemptBudget;
use serde_json::{Value, json};

use crate::support::dialects::{CANARY, Dialect};
use crate::support::requests::{ask, next, tool};
use crate::support::server::{Reply, Server, json as answered, reply};

fn model(server: &Server) -> Client {
    model_within(server, AttemptBudget::default())
}

fn model_within(server: &Server, budget: AttemptBudget) -> Client {
    let dialect = Dialect::Messages.dialect(&format!("http://{}/v1", server.address), budget);
    Client::new(dialect, Arc::new(FixedClock(Timestamp::UNIX_EPOCH))).unwrap()
}

fn called() -> Value {
    json!({
        "type": "message",
        "content": [
            {"type": "thinking", "thinking": "hm"},
            {"type": "text", "text": "I read."},
            {"type": "tool_use", "id": "toolu_1", "name": "read_file", "input": {"path": "p"}}
        ],
        "stop_reason": "tool_use",
        "usage": {"input_tokens": 5, "cache_read_input_tokens": 100, "cache_creation_input_tokens": 20, "output_tokens": 7}
    })
}

#[tokio::test]
async fn a_conversation_goes_there_and_back() {
    let done = json!({"content": [{"type": "text", "text": "done"}], "stop_reason": "max_tokens"});
    let server = Server::start(vec![answered(called()), answered(done)]).await;
    let model = model(&server);
    let first = ask(0, "x");
    let response = model.chat(&first).await.unwrap();
    assert_eq!(response.text, "I read.");
    assert_eq!(response.calls[0].arguments, r#"{"path":"p"}"#);
    assert_eq!(
        (response.usage.input, response.usage.cached, response.usage.output),
        (125, 100, 7)
    );
    let second = next(&first, &response, vec![tool(&response, "seen", None)]);
    let last = model.chat(&second).await.unwrap();
    assert_eq!((last.text.as_str(), last.finish), ("done", Finish::Length));

    let seen = server.seen();
    assert!(seen[0].head.starts_with("POST /v1/messages HTTP/1.1\r\n"));
    assert!(seen[0].head.contains(&format!("x-api-key: {CANARY}\r\n")));
    assert!(seen[0].head.contains("anthropic-version: 2023-06-01\r\n"));
    let result = &seen[1].body["messages"][2]["content"][0];
    assert_eq!(
        (&result["tool_use_id"], &result["content"]),
        (&json!("toolu_1"), &json!("seen"))
    );
}

#[tokio::test]
async fn a_stream_amounts_to_the_same() {
    let events = [
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "tool_use", "id": "t", "name": "read_file", "input": {}}}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"partial_json": "{\"path\": \"p\"}"}}),
        json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}}),
        json!({"type": "message_stop"}),
    ];
    let pieces = events
        .iter()
        .map(|event| format!("data: {event}\n\n").into_bytes());
    let server = Server::start(vec![Reply::Streams(pieces.collect())]).await;
    let response = model(&server)
        .streaming(Arc::new(|_| {}))
        .chat(&ask(0, "x"))
        .await
        .unwrap();
    assert_eq!(response.calls[0].arguments, "{\"path\": \"p\"}");
    assert_eq!(server.seen()[0].body["stream"], json!(true));
}

#[tokio::test]
async fn faults_are_named_and_show_no_key() {
    let error =
        |kind: &str| json!({"type": "error", "error": {"type": kind, "message": format!("it is {CANARY}")}});
    let cases = [
        (
            reply(529, "application/json", &error("overloaded_error").to_string()),
            Some(AttemptFault::Status(529)),
        ),
        (
            answered(error("rate_limit_error")),
            Some(AttemptFault::Status(429)),
        ),
        (answered(json!({"content": null})), Some(AttemptFault::Malformed)),
        (Reply::Hangs, Some(AttemptFault::Connection)),
        (Reply::Silent, Some(AttemptFault::TimedOut)),
        (
            reply(
                400,
                "application/json",
                &error("invalid_request_error").to_string(),
            ),
            None,
        ),
    ];
    for (reply, expected) in cases {
        let shown_reply = format!("{reply:?}");
        let mut budget = AttemptBudget::default();
        if matches!(reply, Reply::Silent) {
            budget.begin = Duration::from_millis(600);
        }
        let server = Server::start(vec![reply]).await;
        let error = model_within(&server, budget)
            .chat(&ask(0, "x"))
            .await
            .unwrap_err();
        let shown = format!("{error} {error:?}");
        assert!(!shown.contains(CANARY), "{shown}");
        let fault = match error {
            ModelError::Attempt(failed) => Some(failed.fault),
            ModelError::Rejected { .. } => None,
            other => panic!("{other:?}"),
        };
        assert_eq!(fault, expected, "{shown_reply}");
    }
}
