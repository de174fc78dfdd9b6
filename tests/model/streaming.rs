//! Streamed chat completions over a real socket.

use std::sync::{Arc, Mutex};

use reprise::domain::conversation::ChatResponse;
use reprise::model::attempt::AttemptFault;
use reprise::model::chat::{ChatModel, ModelError};
use reprise::model::progress::Progress;
use serde_json::{Value, json};

use crate::openai::model;
use crate::support::dialects::CANARY;
use crate::support::requests::ask;
use crate::support::server::{Reply, Server, json as answered};

fn chunk(delta: Value) -> Vec<u8> {
    let chunk = json!({"choices": [{"index": 0, "delta": delta}]});
    format!("data: {chunk}\n\n").into_bytes()
}

fn end() -> Vec<u8> {
    let last = json!({"choices": [{"delta": {}, "finish_reason": "stop"}]});
    let usage = json!({"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 2}});
    format!("data: {last}\n\ndata: {usage}\n\ndata: [DONE]\n\n").into_bytes()
}

async fn streamed(reply: Reply) -> (Result<ChatResponse, ModelError>, Vec<Progress>, Value) {
    let server = Server::start(vec![reply]).await;
    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = seen.clone();
    let model = model(&server).streaming(Arc::new(move |progress| log.lock().unwrap().push(progress)));
    let result = model.chat(&ask(0, "x")).await;
    let seen = seen.lock().unwrap().clone();
    (result, seen, server.seen()[0].body.clone())
}

fn fault(result: Result<ChatResponse, ModelError>) -> AttemptFault {
    match result.unwrap_err() {
        ModelError::Attempt(failed) => failed.fault,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn an_answer_arrives_in_pieces_and_is_watched() {
    let pieces = vec![
        chunk(json!({"content": "hel"})),
        chunk(json!({"content": "lo"})),
        chunk(
            json!({"tool_calls": [{"index": 0, "id": "a", "function": {"name": "read_file", "arguments": "{}"}}]}),
        ),
        end(),
    ];
    let (result, seen, body) = streamed(Reply::Streams(pieces)).await;
    let response = result.unwrap();
    assert_eq!(
        (response.text.as_str(), response.calls[0].id.as_str()),
        ("hello", "a")
    );
    assert_eq!(response.usage.total(), 9);
    let last = seen.last().unwrap();
    assert_eq!(
        (last.bytes, last.calls, last.position),
        (7, 1, ask(0, "x").position)
    );
    assert_eq!(body["stream"], json!(true));
    assert_eq!(body["stream_options"], json!({"include_usage": true}));
}

#[tokio::test]
async fn a_server_that_does_not_stream_is_understood() {
    let whole = json!({"choices": [{"message": {"content": "hello"}, "finish_reason": "stop"}]});
    let (result, seen, _) = streamed(answered(whole)).await;
    assert_eq!((result.unwrap().text.as_str(), seen.len()), ("hello", 0));
}

#[tokio::test]
async fn a_stream_that_ends_early_is_no_answer() {
    let cut = Reply::Streams(vec![chunk(json!({"content": "hel"}))]);
    assert_eq!(fault(streamed(cut).await.0), AttemptFault::Truncated);
    let nothing = Reply::Streams(vec![]);
    assert_eq!(fault(streamed(nothing).await.0), AttemptFault::Truncated);
    let broken = Reply::Streams(vec![b"data: {\n\n".to_vec()]);
    assert_eq!(fault(streamed(broken).await.0), AttemptFault::Malformed);
    let flood = Reply::Streams(vec![chunk(json!({"content": "x".repeat(60_000)})); 2]);
    assert_eq!(fault(streamed(flood).await.0), AttemptFault::Malformed);
}

#[tokio::test]
async fn an_error_in_a_stream_shows_no_key() {
    for piece in [
        format!("data: {{\"error\": {{\"message\": \"bad {CANARY}\"}}}}\n\n"),
        format!("data: {CANARY}\n\n"),
    ] {
        let (result, _, _) = streamed(Reply::Streams(vec![piece.into_bytes()])).await;
        let error = result.unwrap_err();
        let shown = format!("{error} {error:?}");
        assert!(!shown.contains(CANARY) && shown.contains("[key]"), "{shown}");
    }
}
