//! The Responses interface over a real socket.

use std::sync::Arc;

use jiff::Timestamp;
use reprise::domain::clock::FixedClock;
use reprise::model::attempt::AttemptFault;
use reprise::model::chat::{ChatModel, ModelError};
use reprise::model::client::Client;
use reprise::model::timeouts::AttemptBudget;
use serde_json::json;

use crate::support::dialects::{CANARY, Dialect};
use crate::support::requests::{ask, next, tool};
use crate::support::server::{Reply, Server, json as answered};

fn model(server: &Server) -> Client {
    let base = format!("http://{}/v1", server.address);
    let dialect = Dialect::Responses.dialect(&base, AttemptBudget::default());
    Client::new(dialect, Arc::new(FixedClock(Timestamp::UNIX_EPOCH))).unwrap()
}

#[tokio::test]
async fn a_conversation_goes_there_and_back() {
    let call = json!({"output": [{"type": "function_call", "call_id": "a", "name": "read_file", "arguments": "{}"}]});
    let whole =
        json!({"output": [{"type": "message", "content": [{"type": "output_text", "text": "done"}]}]});
    let event = json!({"type": "response.completed", "response": whole});
    let server = Server::start(vec![
        answered(call),
        Reply::Streams(vec![format!("data: {event}\n\n").into_bytes()]),
    ])
    .await;
    let first = ask(0, "x");
    let response = model(&server).chat(&first).await.unwrap();
    let second = next(&first, &response, vec![tool(&response, "seen", None)]);
    let streaming = model(&server).streaming(Arc::new(|_| {}));
    assert_eq!(streaming.chat(&second).await.unwrap().text, "done");

    let seen = server.seen();
    assert!(seen[0].head.starts_with("POST /v1/responses HTTP/1.1\r\n"));
    assert!(
        seen[0]
            .head
            .contains(&format!("authorization: Bearer {CANARY}\r\n"))
    );
    assert_eq!(seen[0].body["store"], json!(false));
    assert_eq!(
        seen[1].body["input"][3],
        json!({"type": "function_call_output", "call_id": "a", "output": "seen"})
    );
}

#[tokio::test]
async fn a_failed_response_is_a_named_fault_without_the_key() {
    let failed = json!({"status": "failed", "output": [], "error": {"code": "rate_limit_exceeded", "message": CANARY}});
    let server = Server::start(vec![answered(failed)]).await;
    let error = model(&server).chat(&ask(0, "x")).await.unwrap_err();
    assert!(!format!("{error:?}").contains(CANARY));
    match error {
        ModelError::Attempt(failed) => assert_eq!(failed.fault, AttemptFault::Status(429)),
        other => panic!("{other:?}"),
    }
}
