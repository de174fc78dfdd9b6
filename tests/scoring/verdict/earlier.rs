//! A result that was seen before the code was changed.

use reprise::domain::doubt::DoubtCause;
use reprise::domain::verdict::Outcome;
use reprise::verdict::earlier::EarlierResult;
use serde_json::json;

use crate::verdict::support::{More, judged, recorded};

fn line(estimate: f64, se: f64) -> serde_json::Value {
    json!({"term": "x", "estimate": estimate, "se": se, "n": 200})
}

fn earlier(estimate: f64, changed: &[&str]) -> Vec<EarlierResult> {
    vec![EarlierResult {
        name: "x1".to_owned(),
        recorded: recorded(&[line(estimate, 0.1)]),
        changed: changed.iter().map(|name| (*name).to_owned()).collect(),
        ..EarlierResult::default()
    }]
}

#[test]
fn another_outcome_before_a_change_leaves_it_open() {
    let verdict = judged(
        json!({}),
        &[line(0.4, 0.1)],
        More {
            earlier: earlier(0.05, &["work/a.py"]),
            ..More::default()
        },
    );
    assert_eq!(verdict.outcome, Outcome::Inconclusive, "{}", verdict.reason);
    assert_eq!(verdict.cause, Some(DoubtCause::ChangedAfterResult));
    for number in ["0.05", "0.4", "`work/a.py`"] {
        assert!(verdict.reason.contains(number), "{}", verdict.reason);
    }
}

#[test]
fn the_same_outcome_stands_beside() {
    let of = |earlier| {
        judged(
            json!({}),
            &[line(0.4, 0.1)],
            More {
                earlier,
                ..More::default()
            },
        )
    };
    let verdict = of(earlier(0.5, &["work/a.py"]));
    assert_eq!(verdict.outcome, Outcome::Met);
    assert!(verdict.doubts.iter().any(|doubt| !doubt.decides
        && doubt.cause == DoubtCause::ChangedAfterResult
        && doubt.detail.contains("0.5")));
    // Nothing was changed, or nothing of the result.
    assert!(of(earlier(0.5, &[])).doubts.is_empty());
    assert!(of(earlier(0.4, &["work/a.py"])).doubts.is_empty());
}

#[test]
fn another_outcome_of_the_same_code_leaves_it_open() {
    let verdict = judged(
        json!({}),
        &[line(0.4, 0.1)],
        More {
            earlier: earlier(0.05, &[]),
            ..More::default()
        },
    );
    assert_eq!(verdict.cause, Some(DoubtCause::ChangedAfterResult));
    assert!(
        verdict.reason.contains("the same code ran again"),
        "{}",
        verdict.reason
    );
}
