//! The cost of calls, and their end at a cap.

use futures::future::join_all;
use reprise::domain::usage::MicroDollars;
use reprise::policy::limits::Caps;
use serde_json::{Value, json};

use super::client::{ask, post};
use super::rig::{CHAT, GEMINI_SIDE, MESSAGES, RESPONSES, Rig, SCRIPTED, Settings};
use crate::support::dialects::{Dialect, Said, said};
use crate::support::server::{Reply, Server, json as answered, reply};

fn long() -> Said {
    Said {
        tokens: (1000, 400, 50),
        ..said("hi")
    }
}

fn capped(caps: Caps) -> Settings {
    Settings {
        caps,
        ..Settings::default()
    }
}

#[tokio::test]
async fn every_dialect_is_charged_by_the_providers_tokens_streamed_or_not() {
    for (side, dialect) in SCRIPTED {
        for streamed in [false, true] {
            let mut provider = Server::start(vec![dialect.reply(&long(), streamed)]).await;
            let rig = Rig::new(side, provider.address).await;
            assert_eq!(ask(&rig, side, "x", streamed).await.status, 200);
            let used = rig.pool.used();
            // 600 at 1, 400 at 0.1 and 50 at 10 millionths of a dollar.
            let expected = (1, 1050, MicroDollars(1140));
            assert_eq!(
                (used.turns, used.tokens, used.money),
                expected,
                "{side:?} {streamed}"
            );
            drop(rig);
            provider.abandoned().await;
        }
    }
}

#[tokio::test]
async fn a_cost_that_the_provider_names_is_not_believed_and_tokens_that_it_hides_are_estimated() {
    let mut cheap = SCRIPTED[0].1.body(&long());
    cheap["usage"]["cost"] = json!(0.0);
    cheap["cost"] = json!(0);
    let mut uncounted = SCRIPTED[0].1.body(&long());
    uncounted["usage"] = Value::Null;
    let provider = Server::start(vec![answered(cheap), answered(uncounted)]).await;
    let rig = Rig::new(CHAT, provider.address).await;
    ask(&rig, CHAT, "x", false).await;
    assert_eq!(rig.pool.used().money, MicroDollars(1140));
    ask(&rig, CHAT, "y", false).await;
    let usage = rig.keeper.recorded()[1].end.clone().unwrap();
    assert!(usage.input > 0 && usage.output > 0, "{usage:?}");
    assert_eq!(usage.estimated, usage.total(), "all of it is marked");
    assert!(rig.pool.used().money > MicroDollars(1140));
}

#[tokio::test]
async fn at_a_cap_each_dialect_is_told_in_the_way_that_stops_its_program_and_nobody_is_asked() {
    let caps = Caps {
        tokens: Some(10),
        ..Caps::default()
    };
    for (side, status, pointer, kind) in [
        (RESPONSES, 400, "/error/code", "budget_exhausted"),
        (MESSAGES, 402, "/error/type", "billing_error"),
        (GEMINI_SIDE, 402, "/error/status", "FAILED_PRECONDITION"),
        (CHAT, 401, "/error/type", "authentication_error"),
    ] {
        for streamed in [false, true] {
            let provider = Server::start(vec![answered(json!({}))]).await;
            let rig = Rig::with(side, provider.address, capped(caps)).await;
            let got = ask(&rig, side, "x", streamed).await;
            assert_eq!(
                (got.status, got.kind.as_str()),
                (status, "application/json"),
                "{side:?}"
            );
            assert_eq!(got.should_retry.as_deref(), Some("false"));
            let document = got.document();
            assert_eq!(document.pointer(pointer).unwrap(), kind);
            let words = document["error"]["message"].as_str().unwrap();
            assert!(words.starts_with("budget exhausted: "), "{words}");
            assert_eq!(provider.seen().len(), 0);
            assert_eq!(rig.pool.used(), reprise::policy::limits::Used::default());
            assert!(rig.keeper.recorded()[0].end.is_err());
        }
    }
}

#[tokio::test]
async fn the_limit_of_an_answer_is_lowered_to_what_can_be_paid_for() {
    let limited = |side: super::rig::Side, sent: &Value| match side {
        RESPONSES => sent["max_output_tokens"].clone(),
        _ => sent["max_tokens"].clone(),
    };
    for (side, dialect) in SCRIPTED {
        let provider = Server::start(vec![answered(dialect.body(&long()))]).await;
        let caps = Caps {
            tokens: Some(2000),
            ..Caps::default()
        };
        let rig = Rig::with(side, provider.address, capped(caps)).await;
        let mut request = side.request("x", false);
        let field = if side == RESPONSES {
            "max_output_tokens"
        } else {
            "max_tokens"
        };
        request[field] = json!(32_000);
        assert_eq!(post(&rig, side.path, request.to_string()).await.status, 200);
        let sent = limited(side, &provider.seen()[0].body).as_u64().unwrap();
        assert!((500..2000).contains(&sent), "{side:?}: {sent}");
    }
    // A program that sets no limit is given one where there is a cap, and none where there is none.
    for caps in [
        Caps::default(),
        Caps {
            tokens: Some(20_000),
            ..Caps::default()
        },
    ] {
        let provider = Server::start(vec![answered(SCRIPTED[0].1.body(&long()))]).await;
        let rig = Rig::with(CHAT, provider.address, capped(caps)).await;
        let request = json!({"model": "alias", "messages": []});
        assert_eq!(post(&rig, CHAT.path, request.to_string()).await.status, 200);
        let sent = provider.seen()[0].body.get("max_completion_tokens").cloned();
        assert_eq!(sent, caps.tokens.map(|_| json!(4096)));
    }
}

#[tokio::test]
async fn calls_that_come_together_wait_for_room_and_none_is_refused_that_can_be_paid() {
    const CALLS: usize = 24;
    let answer = Said {
        tokens: (100, 0, 10),
        ..said("hi")
    };
    let body = Dialect::Chat.body(&answer).to_string();
    let provider = Server::start(vec![reply(200, "application/json", &body)]).await;
    // Room for all that is used, and for three at once of what could be.
    let caps = Caps {
        tokens: Some(CALLS as u64 * 110 + 1000),
        ..Caps::default()
    };
    let rig = Rig::with(CHAT, provider.address, capped(caps)).await;
    let calls = (0..CALLS).map(|index| {
        let mut request = CHAT.request(&format!("call {index}"), false);
        request["max_tokens"] = json!(900);
        let rig = &rig;
        async move { post(rig, CHAT.path, request.to_string()).await }
    });
    let got = join_all(calls).await;
    let refused: Vec<_> = got.iter().filter(|got| got.status != 200).collect();
    assert!(refused.is_empty(), "{refused:?}");
    assert_eq!(rig.pool.used().tokens, CALLS as u64 * 110);
    let limits: Vec<_> = provider
        .seen()
        .iter()
        .map(|seen| seen.body["max_tokens"].clone())
        .collect();
    assert!(
        limits.iter().all(|limit| *limit == 900),
        "nobody's answer is cut: {limits:?}"
    );
}

#[tokio::test]
async fn what_the_provider_refused_costs_nothing_and_holds_nothing() {
    let caps = Caps {
        tokens: Some(3000),
        ..Caps::default()
    };
    let refusal = reply(400, "application/json", "{\"error\":{\"message\":\"no\"}}");
    let provider = Server::start(vec![refusal]).await;
    let rig = Rig::with(CHAT, provider.address, capped(caps)).await;
    for text in ["a", "b"] {
        assert_ne!(ask(&rig, CHAT, text, false).await.status, 200);
        assert_eq!(rig.pool.used(), reprise::policy::limits::Used::default());
    }
}

#[tokio::test]
async fn it_is_known_before_a_call_how_its_answer_comes() {
    let provider = Server::start(vec![answered(SCRIPTED[0].1.body(&long()))]).await;
    for (side, _) in SCRIPTED {
        let rig = Rig::new(side, provider.address).await;
        for streamed in [json!(1), json!("true"), json!(0), json!([]), json!({"a": 1})] {
            let mut request = side.request("x", false);
            request["stream"] = streamed;
            let got = post(&rig, side.path, request.to_string()).await;
            assert_eq!(got.status, 400, "{side:?} {request}");
        }
    }
    assert_eq!(provider.seen().len(), 0);
}

#[tokio::test]
async fn an_answer_that_cannot_be_read_is_paid_for_and_asked_again_within_the_cap() {
    // Such as a stream where none was asked for, or a page of something in between.
    for unreadable in [
        SCRIPTED[0].1.reply(&said("hi"), true),
        reply(200, "text/html", "<p>hi</p>"),
    ] {
        let provider = Server::start(vec![unreadable]).await;
        let caps = Caps {
            tokens: Some(20_000),
            ..Caps::default()
        };
        let rig = Rig::with(CHAT, provider.address, capped(caps)).await;
        let mut request = CHAT.request("x", false);
        request["max_tokens"] = json!(9_000);
        let got = post(&rig, CHAT.path, request.to_string()).await;
        assert_ne!(got.status, 200, "{got:?}");
        let (asked, used) = (provider.seen().len() as u64, rig.pool.used());
        assert!(used.tokens > 0 && used.tokens <= 20_000, "{used:?}");
        assert!(used.money > MicroDollars(0) && used.turns == 0, "{used:?}");
        if used.tokens >= 9_000 {
            // What could not be counted was taken as what was set aside: there is room for two.
            assert_eq!((asked, used.tokens / 9_000), (2, 2));
        }
    }
}

#[tokio::test]
async fn an_attempt_that_breaks_off_is_counted_by_what_arrived_and_shown_as_an_estimate() {
    let events = |events: Vec<String>| events.into_iter().map(String::into_bytes).collect::<Vec<_>>();
    let whole = Dialect::Chat.events(&Said {
        tokens: (1000, 400, 50),
        ..said(&"word ".repeat(200))
    });
    let broken = Reply::StreamBreaks(events(whole[..whole.len() - 2].to_vec()));
    let provider = Server::start(vec![broken, Dialect::Chat.reply(&long(), true)]).await;
    let rig = Rig::new(CHAT, provider.address).await;
    assert_eq!(ask(&rig, CHAT, "x", true).await.status, 200);
    assert_eq!(provider.seen().len(), 2);
    let (used, lost) = (rig.pool.used(), rig.keeper.recorded()[0].lost);
    assert!(lost.input > 0 && lost.output > 100, "{lost:?}");
    assert_eq!(lost.estimated, lost.total());
    assert_eq!((used.turns, used.tokens), (1, 1050 + lost.total()));
}
