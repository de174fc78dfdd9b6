//! Calls that are sent again.

use std::time::Duration;

use futures::future::join_all;

use super::client::{ask, try_post};
use super::rig::{CHAT, Rig, SCRIPTED};
use crate::support::dialects::said;
use crate::support::server::{Reply, Server, json as answered, reply};

#[tokio::test]
async fn a_call_that_is_sent_again_is_answered_alike_and_paid_once() {
    for (side, dialect) in SCRIPTED {
        let answers = ["one", "two"].map(|text| dialect.reply(&said(text), true));
        let provider = Server::start(answers.to_vec()).await;
        let rig = Rig::new(side, provider.address).await;
        let together = join_all((0..4).map(|_| ask(&rig, side, "x", true))).await;
        let later = ask(&rig, side, "x", true).await;
        assert!(together.iter().all(|got| *got == later), "{together:?} {later:?}");
        assert_eq!(provider.seen().len(), 1);
        assert_eq!((rig.pool.used().turns, rig.keeper.recorded().len()), (1, 1));
        assert_eq!(*rig.keeper.resends.lock().unwrap(), [1, 2, 3, 4]);
        let other = ask(&rig, side, "y", true).await;
        assert_ne!(other.body, later.body, "another request is another call");
        assert_eq!(provider.seen().len(), 2);
    }
}

#[tokio::test]
async fn a_call_that_says_it_is_a_first_one_is_made_once_its_like_was_answered() {
    let answers = ["one", "two"].map(|text| answered(SCRIPTED[0].1.body(&said(text))));
    let provider = Server::start(answers.to_vec()).await;
    let rig = Rig::new(CHAT, provider.address).await;
    let body = CHAT.request("x", false).to_string();
    let mut got = Vec::new();
    for count in ["0", "1", "0"] {
        let headers = [("x-stainless-retry-count", count)];
        got.push(
            try_post(&rig, CHAT.path, &rig.token, &headers, body.clone())
                .await
                .unwrap()
                .body,
        );
    }
    assert_eq!(got[0], got[1]);
    assert_ne!(got[0], got[2]);
    assert_eq!(rig.pool.used().turns, 2);
}

/// Waits until the provider is asked something.
async fn asked(provider: &Server) {
    while provider.seen().is_empty() {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

#[tokio::test]
async fn a_client_that_goes_away_finds_its_answer_when_it_comes_back() {
    let wait = vec![("retry-after-ms".to_owned(), "300".to_owned())];
    let busy = Reply::Whole {
        status: 429,
        headers: wait,
        body: "{}".into(),
    };
    let provider = Server::start(vec![busy, answered(SCRIPTED[0].1.body(&said("hi")))]).await;
    let rig = Rig::new(CHAT, provider.address).await;
    tokio::select! {
        biased;
        () = asked(&provider) => {}
        got = ask(&rig, CHAT, "x", false) => panic!("it did not go away before there was an answer: {got:?}"),
    }
    assert_eq!(ask(&rig, CHAT, "x", false).await.status, 200);
    assert_eq!((provider.seen().len(), rig.pool.used().turns), (2, 1));
}

#[tokio::test]
async fn a_call_that_failed_may_be_made_again() {
    let refusal = reply(400, "application/json", "{\"error\":{\"message\":\"no\"}}");
    let provider = Server::start(vec![refusal, answered(SCRIPTED[0].1.body(&said("hi")))]).await;
    let rig = Rig::new(CHAT, provider.address).await;
    assert_eq!(ask(&rig, CHAT, "x", false).await.status, 400);
    assert_eq!(ask(&rig, CHAT, "x", false).await.status, 200);
}
