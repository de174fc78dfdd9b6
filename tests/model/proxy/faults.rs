//! Faults of the provider, and what a program sees of them.

use std::time::Duration;

use reprise::model::proxy::serving::Patience;
use serde_json::json;

use super::client::{ask, post, try_post};
use super::rig::{CHAT, GEMINI_SIDE, MESSAGES, RESPONSES, Rig, SCRIPTED, Settings};
use crate::support::dialects::said;
use crate::support::server::{Reply, Server, json as answered, reply};

fn busy(status: u16) -> Reply {
    let body = json!({"type": "error", "error": {"type": "x", "message": format!("busy {status}")}});
    reply(status, "application/json", &body.to_string())
}

#[tokio::test]
async fn what_passes_is_asked_again_and_never_shown() {
    for (side, dialect) in SCRIPTED {
        for streamed in [false, true] {
            let events = dialect.events(&said("hello"));
            let cut: Vec<Vec<u8>> = events[..2]
                .iter()
                .map(|event| event.clone().into_bytes())
                .collect();
            let good = dialect.reply(&said("hello"), streamed);
            let script = match streamed {
                true => vec![busy(429), busy(500), Reply::StreamBreaks(cut), good],
                false => vec![busy(429), busy(529), Reply::Breaks("{\"cho".into()), good],
            };
            let provider = Server::start(script).await;
            let rig = Rig::new(side, provider.address).await;
            let got = ask(&rig, side, "x", streamed).await;
            assert_eq!(got.status, 200, "{side:?} {streamed}: {got:?}");
            let recorded = rig.keeper.recorded();
            assert_eq!((recorded.len(), recorded[0].retries), (1, 3));
            assert_eq!(rig.pool.used().turns, 1);
            assert_eq!(
                recorded[0].body,
                got.body.as_bytes(),
                "what was recorded is what was served"
            );
            assert_eq!((provider.seen().len(), rig.waits.lock().unwrap().len()), (4, 3));
        }
    }
}

#[tokio::test]
async fn an_error_in_a_good_stream_and_a_stream_without_an_end_are_no_answers() {
    let gemini_error =
        "data: {\"error\":{\"code\":400,\"message\":\"bad\",\"status\":\"INVALID_ARGUMENT\"}}\n\n";
    let gemini_cut = "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"h\"}]}}]}\n\n";
    let chat_error = "data: {\"choices\":[{\"delta\":{\"content\":\"x\"}}]}\n\ndata: {\"error\":{\"code\":400,\"message\":\"bad\"}}\n\n";
    let messages_error = "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"bad\"}}\n\n";
    let failed = "data: {\"type\":\"response.failed\",\"response\":{\"status\":\"failed\",\"error\":{\"code\":\"invalid_prompt\",\"message\":\"bad\"}}}\n\n";
    for (side, stream, why) in [
        (GEMINI_SIDE, gemini_error, "bad"),
        (GEMINI_SIDE, gemini_cut, "ended before its answer"),
        (CHAT, chat_error, "bad"),
        (MESSAGES, messages_error, "bad"),
        (RESPONSES, failed, "bad"),
    ] {
        let provider = Server::start(vec![reply(200, "text/event-stream", stream)]).await;
        let rig = Rig::new(side, provider.address).await;
        let got = ask(&rig, side, "x", true).await;
        assert!((400..500).contains(&got.status), "{side:?}: {got:?}");
        assert!(got.body.contains(why), "{}", got.body);
        let end = rig.keeper.recorded()[0].end.clone().unwrap_err();
        assert!(end.contains(why), "{end}");
        assert_eq!(rig.pool.used().turns, 0);
    }
}

#[tokio::test]
async fn a_refusal_keeps_the_providers_words_and_a_wrong_key_stops_the_program() {
    let long =
        "{\"error\":{\"message\":\"maximum context length is 8\",\"code\":\"context_length_exceeded\"}}";
    let provider = Server::start(vec![
        reply(400, "application/json", long),
        reply(
            403,
            "application/json",
            "{\"error\":{\"message\":\"no such key\"}}",
        ),
    ])
    .await;
    let rig = Rig::new(CHAT, provider.address).await;
    let got = ask(&rig, CHAT, "x", false).await;
    assert_eq!((got.status, got.body.as_str()), (400, long));
    let got = ask(&rig, CHAT, "y", false).await;
    assert_eq!(got.status, 401, "at which its programs stop");
    assert_eq!(got.document()["error"]["type"], "authentication_error");
    assert_eq!(provider.seen().len(), 2);
}

#[tokio::test]
async fn what_cannot_be_recorded_is_not_served() {
    let provider = Server::start(vec![answered(SCRIPTED[0].1.body(&said("secret word")))]).await;
    let settings = Settings {
        full: true,
        ..Settings::default()
    };
    let rig = Rig::with(CHAT, provider.address, settings).await;
    let got = ask(&rig, CHAT, "x", false).await;
    assert!(got.status == 401 && !got.body.contains("secret word"), "{got:?}");
    assert!(got.body.contains("the disk is full"));
}

fn impatient() -> Settings {
    Settings {
        patience: Patience {
            silent: Duration::from_millis(20),
            sign: Duration::from_millis(10),
            ..Patience::default()
        },
        ..Settings::default()
    }
}

/// A provider that is busy at first: the proxy waits as long as it is told to.
fn slow(then: Reply) -> Vec<Reply> {
    let wait = vec![
        ("content-type".to_owned(), "application/json".to_owned()),
        ("retry-after-ms".to_owned(), "300".to_owned()),
    ];
    let busy = Reply::Whole {
        status: 429,
        headers: wait,
        body: "{}".into(),
    };
    vec![busy, then]
}

#[tokio::test]
async fn a_long_wait_shows_signs_of_life_and_ends_in_the_answer() {
    for (side, dialect) in SCRIPTED {
        for streamed in [false, true] {
            let provider = Server::start(slow(dialect.reply(&said("hello"), streamed))).await;
            let rig = Rig::with(side, provider.address, impatient()).await;
            let got = ask(&rig, side, "x", streamed).await;
            let kept = String::from_utf8(rig.keeper.recorded()[0].body.clone()).unwrap();
            let signs = got.body.strip_suffix(&kept).unwrap();
            let sign = match (streamed, side) {
                (false, _) => " ",
                (true, MESSAGES) => "event: ping\ndata: {\"type\": \"ping\"}\n\n",
                (true, _) => ": waiting\n\n",
            };
            assert!(signs.len() >= sign.len(), "there was time for some");
            assert_eq!(signs, sign.repeat(signs.len() / sign.len()));
            if !streamed {
                assert!(
                    got.document().is_object(),
                    "spaces before a document are none of it"
                );
            }
        }
    }
}

#[tokio::test]
async fn an_error_after_a_sign_of_life_is_an_event_or_a_broken_connection_and_no_good_end() {
    for (side, streamed, is_event) in [
        (CHAT, true, true),
        (RESPONSES, true, true),
        (MESSAGES, true, true),
        (GEMINI_SIDE, true, false),
        (CHAT, false, false),
    ] {
        let refusal = reply(403, "application/json", "{\"error\":{\"message\":\"closed\"}}");
        let provider = Server::start(slow(refusal)).await;
        let rig = Rig::with(side, provider.address, impatient()).await;
        let path = if streamed { side.streamed_path } else { side.path };
        let body = side.request("x", streamed).to_string();
        let got = try_post(&rig, path, &rig.token, &[], body).await;
        match is_event {
            true => assert!(got.unwrap().body.contains("closed")),
            false => assert!(got.is_err(), "{side:?}: {got:?}"),
        }
    }
}

#[tokio::test]
async fn a_stream_that_comes_whole_is_no_stream() {
    let provider = Server::start(vec![answered(SCRIPTED[0].1.body(&said("hi")))]).await;
    let rig = Rig::new(CHAT, provider.address).await;
    let got = post(&rig, CHAT.path, CHAT.request("x", true).to_string()).await;
    assert!(
        got.status == 401 && got.body.contains("a stream was asked for"),
        "{got:?}"
    );
}
