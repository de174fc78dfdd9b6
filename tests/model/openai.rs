//! Chat completions over a real socket: what is sent, and every way to fail.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use jiff::Timestamp;
use reprise::domain::clock::FixedClock;
use reprise::domain::conversation::{ChatResponse, Finish};
use reprise::model::attempt::{AttemptFault, FailedAttempt};
use reprise::model::chat::{ChatModel, ModelError};
use reprise::model::client::Client;
use reprise::model::layers::retry::{Retry, RetryPolicy};
use reprise::model::layers::timer::Timer;
use reprise::model::recording::recorder::Recorder;
use reprise::model::signs_of_life::SignsOfLife;
use reprise::model::timeouts::AttemptBudget;
use serde_json::{Value, json};

use crate::faults::{BUDGET, Noted, while_time_passes};
use crate::support::dialects::{CANARY, Dialect, PATIENT};
use crate::support::faulty::{NoTime, VirtualTime};
use crate::support::requests::{ask, next, tool};
use crate::support::server::{Reply, Server, json as answered, reply};

/// The budget of a reply: of what never ends the time as a whole is short, of what stops the time without more.
fn budget(reply: &Reply) -> AttemptBudget {
    match reply {
        Reply::Silent => AttemptBudget {
            begin: Duration::from_millis(600),
            ..PATIENT
        },
        Reply::Drips(_) => AttemptBudget {
            total: Duration::from_millis(600),
            ..PATIENT
        },
        Reply::Stalls(_) => AttemptBudget {
            stall: Duration::from_millis(200),
            ..PATIENT
        },
        _ => PATIENT,
    }
}

pub fn model(server: &Server) -> Client {
    model_within(server, PATIENT)
}

fn model_within(server: &Server, budget: AttemptBudget) -> Client {
    let dialect = Dialect::Chat.dialect(&format!("http://{}/v1", server.address), budget);
    Client::new(dialect, Arc::new(FixedClock(Timestamp::UNIX_EPOCH))).unwrap()
}

fn hello() -> Value {
    json!({"choices": [{"message": {"content": "hello"}, "finish_reason": "stop"}]})
}

async fn once(reply: Reply) -> Result<ChatResponse, ModelError> {
    let budget = budget(&reply);
    let server = Server::start(vec![reply]).await;
    let model = model_within(&server, budget);
    let result = model.chat(&ask(0, "x")).await;
    assert_eq!(server.seen().len(), 1, "one call is one request");
    result
}

async fn fault(reply: Reply) -> FailedAttempt {
    match once(reply).await.unwrap_err() {
        ModelError::Attempt(failed) => *failed,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_conversation_goes_over_one_connection() {
    let calls = json!({"choices": [{"message": {"tool_calls": [
        {"id": "a", "function": {"name": "read_file", "arguments": "{\"path\":\"p\"}"}}
    ]}, "finish_reason": "tool_calls"}]});
    let server = Server::start(vec![answered(calls), answered(hello())]).await;
    let model = model(&server);
    let first = ask(0, "x");
    let response = model.chat(&first).await.unwrap();
    let second = next(
        &first,
        &response,
        vec![tool(&response, "seen", Some("never sent"))],
    );
    assert_eq!(model.chat(&second).await.unwrap().text, "hello");

    let seen = server.seen();
    assert!(seen[0].head.starts_with("POST /v1/chat/completions HTTP/1.1\r\n"));
    assert!(
        seen[0]
            .head
            .contains(&format!("authorization: Bearer {CANARY}\r\n"))
    );
    assert_eq!(seen[1].connection, 0, "the connection is used again");
    assert_eq!(
        seen[1].body["messages"][3],
        json!({"role": "tool", "content": "seen", "tool_call_id": "a"})
    );
    assert_eq!(seen[1].body["tools"][0]["function"]["name"], "read_file");
}

#[tokio::test]
async fn an_error_status_keeps_status_wait_and_reason() {
    let page = "<html><head><title>429 Too Many Requests</title></head></html>";
    let limited = fault(Reply::Whole {
        status: 429,
        headers: vec![
            ("content-type".into(), "text/html".into()),
            ("retry-after".into(), "Thu, 01 Jan 1970 00:00:09 GMT".into()),
        ],
        body: page.into(),
    })
    .await;
    assert_eq!(limited.fault, AttemptFault::Status(429));
    assert_eq!(limited.retry_after, Some(Duration::from_secs(9)));
    assert_eq!(limited.message, "status 429: 429 Too Many Requests");

    let missing = once(reply(404, "text/html", "<h1>no such page</h1>"))
        .await
        .unwrap_err();
    assert_eq!(
        missing.to_string(),
        "openai-api refused the request (404): no such page"
    );
    let integer_code = r#"{"error": {"message": "try later", "code": 17}}"#;
    assert_eq!(
        fault(reply(500, "application/json", integer_code)).await.fault,
        AttemptFault::Status(500)
    );
    let long = once(reply(400, "text/plain", &"x".repeat(50_000)))
        .await
        .unwrap_err();
    assert!(long.to_string().len() < 600);
}

#[tokio::test]
async fn a_redirect_is_refused_and_never_followed() {
    let elsewhere = Server::start(vec![answered(hello())]).await;
    let moved = Reply::Whole {
        status: 307,
        headers: vec![("location".into(), format!("http://{}/v1", elsewhere.address))],
        body: String::new(),
    };
    let error = once(moved).await.unwrap_err();
    assert!(
        matches!(error, ModelError::Rejected { status: 307, .. }),
        "{error:?}"
    );
    let words =
        "(307): it redirects elsewhere, which is not followed, since the key would go along: set the address";
    assert!(error.to_string().contains(words), "{error}");
    assert!(elsewhere.seen().is_empty(), "the key went elsewhere");
}

#[tokio::test]
async fn an_answer_that_is_none_is_a_named_fault() {
    use AttemptFault::{Connection, Empty, Malformed, Status, TimedOut};
    let busy = json!({"error": {"message": "busy", "code": 503}});
    let cases = [
        (
            reply(200, "application/json", "{\"choices\": ["),
            Malformed,
            "not JSON",
        ),
        (reply(200, "application/json", ""), Malformed, "is empty"),
        (reply(200, "text/html", "<p>sign in</p>"), Malformed, "sign in"),
        (answered(json!({"choices": []})), Empty, "no choice"),
        (answered(busy), Status(503), "busy"),
        (Reply::Hangs, Connection, "connection failed"),
        (
            Reply::Breaks("{\"choices\"".into()),
            Connection,
            "connection failed",
        ),
        (Reply::Silent, TimedOut, "did not begin"),
        (Reply::Stalls("{".into()), TimedOut, "stood still"),
        (Reply::Drips(Duration::from_millis(20)), TimedOut, "not complete"),
        (Reply::Floods(1 << 20), Malformed, "larger than 100000 bytes"),
    ];
    for (reply, expected, part) in cases {
        let shown = format!("{reply:?}");
        let failed = fault(reply).await;
        assert_eq!(failed.fault, expected, "{shown}: {failed}");
        assert!(failed.message.contains(part), "{shown}: {failed}");
    }
}

#[tokio::test]
async fn nobody_at_the_address_is_a_named_fault() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let gone = Server::nowhere(listener.local_addr().unwrap());
    drop(listener);
    match model(&gone).chat(&ask(0, "x")).await.unwrap_err() {
        ModelError::Attempt(failed) => {
            assert_eq!(failed.fault, AttemptFault::Unreachable, "{failed}");
            assert!(
                failed.message.contains("nothing listens at 127.0.0.1:"),
                "{failed}"
            );
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_server_that_answered_before_is_waited_for() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let gone = Server::nowhere(listener.local_addr().unwrap());
    drop(listener);
    let signs = SignsOfLife::default();
    let model = model(&gone).hearing(signs.clone());
    for (answered, expected) in [
        (false, AttemptFault::Unreachable),
        (true, AttemptFault::Connection),
    ] {
        if answered {
            signs.note();
        }
        match model.chat(&ask(0, "x")).await.unwrap_err() {
            ModelError::Attempt(failed) => assert_eq!(failed.fault, expected, "{failed}"),
            other => panic!("{other:?}"),
        }
    }
}

/// A timer whose waits are over at once, during the first of which the server answers others.
struct BusyElsewhere {
    signs: SignsOfLife,
    busy: u64,
    waits: AtomicU64,
}

#[async_trait::async_trait]
impl Timer for BusyElsewhere {
    fn passed(&self) -> Duration {
        Duration::ZERO
    }

    async fn wait(&self, _: Duration) {
        if self.waits.fetch_add(1, Ordering::Relaxed) < self.busy {
            self.signs.note();
        }
    }
}

#[tokio::test]
async fn a_queue_is_waited_in_as_long_as_the_server_answers_others() {
    let server = Server::start(vec![Reply::Silent]).await;
    let signs = SignsOfLife::default();
    let timer = Arc::new(BusyElsewhere {
        signs: signs.clone(),
        busy: 5,
        waits: AtomicU64::new(0),
    });
    let model = model(&server).hearing(signs).timed(timer.clone());
    match model.chat(&ask(0, "x")).await.unwrap_err() {
        ModelError::Attempt(failed) => {
            assert_eq!(failed.fault, AttemptFault::TimedOut, "{failed}");
            assert!(failed.message.contains("did not begin within 600 s"), "{failed}");
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(timer.waits.load(Ordering::Relaxed), 6);
}

#[tokio::test]
async fn odd_answers_of_compatible_servers_are_understood() {
    let odd = json!({"object": "x", "service_tier": 7, "choices": [{
        "message": {"content": [{"type": "text", "text": "he"}, {"type": "text", "text": "llo"}], "tool_calls": null},
        "finish_reason": "eos_token"
    }], "usage": null});
    let response = once(answered(odd)).await.unwrap();
    assert_eq!((response.text.as_str(), response.finish), ("hello", Finish::Stop));
    let cut = json!({"choices": [{"message": {"content": "he"}, "finish_reason": "length"}]});
    assert_eq!(once(answered(cut)).await.unwrap().finish, Finish::Length);
    let filtered = json!({"choices": [{"message": {"content": ""}, "finish_reason": "content_filter"}]});
    assert_eq!(once(answered(filtered)).await.unwrap().finish, Finish::Refused);
}

#[tokio::test]
async fn every_passing_fault_ends_in_the_answer_when_it_is_asked_again() {
    let server = Server::start(vec![
        reply(503, "text/html", "<p>later</p>"),
        Reply::Hangs,
        Reply::Stalls("{".into()),
        reply(200, "application/json", "{]"),
        answered(json!({"choices": []})),
        answered(hello()),
    ])
    .await;
    let policy = RetryPolicy::default();
    let time = Arc::new(VirtualTime::default());
    let model = Dialect::Chat.model_in(server.address, BUDGET, false, time.clone());
    let retry = Retry::new(
        Noted::new(&server, model),
        policy,
        Arc::new(NoTime::default()),
        Arc::new(|_| {}),
    );
    let request = ask(0, "x");
    let answer = while_time_passes(&server, &time, retry.chat(&request)).await;
    assert_eq!(answer.unwrap().text, "hello");
    assert_eq!(server.seen().len(), 6);
}

#[tokio::test]
async fn the_key_is_nowhere_but_in_its_header() {
    let echo = format!("your key {CANARY} is wrong");
    for reply in [
        reply(401, "text/plain", &echo),
        reply(
            500,
            "application/json",
            &json!({"error": {"message": echo}}).to_string(),
        ),
        reply(200, "text/html", &echo),
        answered(json!({"error": {"message": echo}})),
        answered(json!({"choices": [{"error": {"message": echo}}]})),
        Reply::Breaks(echo.clone()),
    ] {
        let error = once(reply).await.unwrap_err();
        let shown = format!("{error} {error:?} {error:#?}");
        assert!(!shown.contains(CANARY), "{shown}");
    }

    let server = Server::start(vec![answered(
        json!({"choices": [{"message": {"content": echo}}]}),
    )])
    .await;
    let recorder = Recorder::new(Arc::new(model(&server)));
    let response = recorder.chat(&ask(0, "x")).await.unwrap();
    assert_eq!(response.text, "your key [key] is wrong");
    let recording = recorder.recording().unwrap().to_json().unwrap();
    assert!(!recording.contains(CANARY));
    assert!(!recording.contains(&server.address.to_string()));
    let dialect = Dialect::Chat.dialect("https://api.openai.com/v1", AttemptBudget::default());
    assert!(!format!("{:?}", dialect.contact()).contains(CANARY));
}
