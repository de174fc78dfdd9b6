//! Retries: what is asked again, how long it takes, and how it ends.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use reprise::model::attempt::AttemptFault;
use reprise::model::chat::{ChatModel, ModelError};
use reprise::model::layers::retry::{Retry, RetryPolicy, Wait};

use crate::support::faulty::{Faulty, NoTime, Scripted, answer, failed};
use crate::support::requests::ask;

struct Tried {
    outcome: Result<String, ModelError>,
    asked: u32,
    waits: Vec<Duration>,
    seen: Vec<Wait>,
}

async fn tried(policy: RetryPolicy, outcomes: Vec<Scripted>) -> Tried {
    let model = Faulty::new(outcomes);
    let time = Arc::new(NoTime::default());
    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = seen.clone();
    let retry = Retry::new(
        model.clone(),
        policy,
        time.clone(),
        Arc::new(move |wait: &Wait| log.lock().unwrap().push(wait.clone())),
    );
    let outcome = retry.chat(&ask(0, "x")).await.map(|response| response.text);
    let waits = time.waits.lock().unwrap().clone();
    let seen = seen.lock().unwrap().clone();
    Tried {
        outcome,
        asked: model.asked(),
        waits,
        seen,
    }
}

fn policy() -> RetryPolicy {
    RetryPolicy {
        seed: Some(7),
        ..RetryPolicy::default()
    }
}

fn status(status: u16) -> Scripted {
    Err(failed(AttemptFault::Status(status), None))
}

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

#[tokio::test]
async fn every_passing_fault_is_asked_again() {
    for fault in [
        AttemptFault::Status(408),
        AttemptFault::Status(409),
        AttemptFault::Status(429),
        AttemptFault::Status(500),
        AttemptFault::Status(503),
        AttemptFault::Connection,
        AttemptFault::TimedOut,
        AttemptFault::Malformed,
        AttemptFault::Empty,
        AttemptFault::Truncated,
    ] {
        let tried = tried(policy(), vec![Err(failed(fault, None)), Ok(answer("yes"))]).await;
        assert_eq!(tried.outcome.unwrap(), "yes", "{fault:?}");
        assert_eq!(tried.asked, 2, "{fault:?}");
        assert_eq!(tried.seen.len(), 1);
        assert!(tried.seen[0].reason.contains(&format!("{fault:?}")));
        assert_eq!(tried.seen[0].duration, tried.waits[0]);
    }
}

#[tokio::test]
async fn waits_double_up_to_a_limit_and_differ_between_runs() {
    let long = RetryPolicy {
        attempts: 9,
        total: seconds(100_000),
        ..policy()
    };
    let tried_once = tried(long, vec![status(503)]).await;
    let lowest = [1, 2, 4, 8, 16, 32, 60, 60];
    assert_eq!(tried_once.waits.len(), lowest.len());
    for (wait, lowest) in tried_once.waits.iter().zip(lowest) {
        assert!(
            *wait >= seconds(lowest) && *wait <= 2 * seconds(lowest),
            "{wait:?} {lowest}"
        );
    }
    let other_seed = RetryPolicy {
        seed: Some(8),
        ..long
    };
    assert_ne!(tried(other_seed, vec![status(503)]).await.waits, tried_once.waits);
}

#[tokio::test]
async fn attempts_are_counted_and_the_end_is_named() {
    let short = RetryPolicy {
        attempts: 3,
        ..policy()
    };
    let tried = tried(short, vec![status(503)]).await;
    assert_eq!(tried.asked, 3);
    let error = tried.outcome.unwrap_err();
    assert!(matches!(error, ModelError::Unavailable { .. }));
    assert_eq!(
        error.to_string(),
        "p did not answer: Status(503) (after 3 attempts; that was the last attempt allowed)"
    );
}

#[tokio::test]
async fn the_total_time_is_bounded() {
    let brief = RetryPolicy {
        attempts: 1000,
        total: seconds(30),
        ..policy()
    };
    let tried = tried(brief, vec![status(503)]).await;
    assert!(
        tried.waits.iter().sum::<Duration>() <= seconds(30),
        "{:?}",
        tried.waits
    );
    assert!(tried.asked > 2);
    let error = tried.outcome.unwrap_err().to_string();
    assert!(error.contains("30 s allowed"), "{error}");
}

#[tokio::test]
async fn a_provider_is_left_alone_for_as_long_as_it_asks_within_reason() {
    let asking = |seconds| Err(failed(AttemptFault::Status(429), Some(seconds)));
    let patient = tried(policy(), vec![asking(42), Ok(answer("yes"))]).await;
    assert_eq!(patient.waits, [seconds(42)]);
    assert_eq!(patient.outcome.unwrap(), "yes");

    let hurried = tried(policy(), vec![asking(0), Ok(answer("yes"))]).await;
    assert_eq!(hurried.waits, [seconds(1)]);

    let in_vain = tried(policy(), vec![asking(3600)]).await;
    assert_eq!((in_vain.asked, in_vain.waits.len()), (1, 0));
    let error = in_vain.outcome.unwrap_err().to_string();
    assert!(
        error.contains("left alone for 3600 s, and at most 300 s"),
        "{error}"
    );
}

#[tokio::test]
async fn the_same_refusal_twice_is_final_and_a_rate_limit_is_not() {
    let refused = tried(policy(), vec![status(409)]).await;
    assert_eq!(refused.asked, 2);
    assert!(matches!(
        refused.outcome.unwrap_err(),
        ModelError::Rejected { status: 409, .. }
    ));
    let limited = tried(
        policy(),
        vec![status(429), status(429), status(429), Ok(answer("yes"))],
    )
    .await;
    assert_eq!(limited.outcome.unwrap(), "yes");
}

#[tokio::test]
async fn an_error_that_comes_back_word_for_word_is_no_weather() {
    for fault in [
        AttemptFault::Status(500),
        AttemptFault::Malformed,
        AttemptFault::Empty,
    ] {
        let tried = tried(policy(), vec![Err(failed(fault, None))]).await;
        assert_eq!(tried.asked, 4, "{fault:?}");
        let error = tried.outcome.unwrap_err();
        assert!(matches!(error, ModelError::Unavailable { .. }), "{fault:?}");
        assert!(error.to_string().contains("the same each time"), "{error}");
    }
    // One that changes in between may pass, and so may a server under load.
    let changing = vec![
        status(500),
        status(500),
        status(502),
        status(500),
        status(500),
        Ok(answer("yes")),
    ];
    assert_eq!(tried(policy(), changing).await.outcome.unwrap(), "yes");
    assert_eq!(tried(policy(), vec![status(503)]).await.asked, 8);
}
