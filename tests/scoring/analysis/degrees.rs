//! Degrees of freedom, against scipy's own t tests of raw samples.

use reprise::domain::claimed_effect::ClaimedEffect;
use reprise::domain::criterion::Criterion;
use reprise::domain::finding::{Finding, Interval, PValue, Relation};
use reprise::domain::rule::Rule;
use reprise::domain::verdict::Outcome;
use reprise::statistics::precision::Basis;
use reprise::statistics::precision::FindingPrecision as _;
use reprise::verdict::criteria::assess::apply;
use reprise::verdict::criteria::magnitude::equivalence_of;
use reprise::verdict::criteria::primary::judge;
use reprise::verdict::criteria::significance::p_value;
use reprise::verdict::criteria::study::{StudyEstimate, StudyPair};
use reprise::verdict::judged::Judged;
use serde_json::{Value, json};

use crate::oracles;

fn near(found: f64, expected: f64) -> bool {
    (found - expected).abs() <= 1e-8 * expected.abs()
}

/// Samples of one group, and of two of unequal size and spread (Welch's test,
/// whose degrees of freedom are no whole number).
fn cases() -> Value {
    let few = [0.3, -0.2, 0.1, 0.05];
    let tight = [0.02, -0.03, 0.01, 0.04, -0.01, 0.0];
    let far = [1.9, 2.3, 2.0, 1.7, 2.2];
    let below = far.map(|value: f64| -value);
    let spread = [5.0, -4.0, 3.5, -2.0, 0.7, 9.1, -6.0];
    json!([
        {"first": few, "second": null, "sesoi": 0.3},
        {"first": tight, "second": null, "sesoi": 0.1},
        {"first": far, "second": null, "sesoi": 0.5},
        {"first": below, "second": null, "sesoi": 0.5},
        {"first": spread, "second": null, "sesoi": 0.5},
        {"first": tight, "second": few, "sesoi": 0.5},
        {"first": far, "second": spread, "sesoi": 0.5},
        {"first": below, "second": tight, "sesoi": 1.0},
    ])
}

#[test]
fn tests_and_intervals_of_one_study_equal_scipys() {
    let cases = cases();
    let Some(answer) = oracles::ask("degrees.py", &cases) else {
        return;
    };
    let mut outcomes = Vec::new();
    for (case, told) in cases.as_array().unwrap().iter().zip(answer.as_array().unwrap()) {
        let number = |key: &str| told[key].as_f64().unwrap();
        let (error, sesoi) = (number("error"), case["sesoi"].as_f64().unwrap());
        let bare = Finding {
            name: "contrast".into(),
            estimate: Some(number("estimate")),
            df: Some(number("df")),
            ..Finding::default()
        };
        let bounds = |key: &str, level| Interval {
            lower: told[key][0].as_f64().unwrap(),
            upper: told[key][1].as_f64().unwrap(),
            level,
        };
        let p = Finding {
            p_value: Some(PValue {
                relation: Relation::Equal,
                value: number("p"),
            }),
            ..bare.clone()
        };
        let interval = |key: &str, level| Finding {
            interval: Some(bounds(key, level)),
            ..bare.clone()
        };
        for (finding, basis) in [
            (&p, Basis::PValue),
            (&interval("bounds95", 0.95), Basis::ConfidenceInterval),
            (&interval("bounds80", 0.8), Basis::ConfidenceInterval),
        ] {
            let (study, by) = StudyEstimate::from_finding(finding).unwrap();
            assert!(
                near(study.standard_error, error) && by == basis,
                "{case}: {study:?}, scipy {error}"
            );
        }
        let reported = Finding {
            standard_error: Some(error),
            ..bare
        };
        let (study, _) = StudyEstimate::from_finding(&reported).unwrap();
        assert!(near(p_value(&study), number("p")), "{case}");
        let shown = reported.interval95().unwrap();
        let pair = StudyPair::new(StudyEstimate::new(0.1, 0.1, None).unwrap(), study);
        let used = apply(Rule::OriginalInReplicationInterval, &pair)
            .interval
            .unwrap();
        let expected = bounds("bounds95", 0.95);
        for found in [shown, used] {
            let both = near(found.lower, expected.lower) && near(found.upper, expected.upper);
            assert!(both, "{case}: {found:?}, scipy {expected:?}");
        }
        for alpha in [0.05, 0.01] {
            let said = equivalence_of(&study, ClaimedEffect::NoEffect, Some(sesoi), alpha);
            assert!(near(said.value.unwrap(), number("within")), "{case}: {said:?}");
            let expected = match (number("within") < alpha, number("outside") < alpha) {
                (true, _) => Some(true),
                (_, true) => Some(false),
                _ => None,
            };
            assert_eq!(said.decision, expected, "{case} at {alpha}: {said:?}");
            outcomes.push(expected);
        }
    }
    for one in [Some(true), Some(false), None] {
        assert!(outcomes.contains(&one), "no case is {one:?}");
    }
}

/// Four plots, two degrees of freedom: by normal theory the effect would be
/// called absent, by its own test it is not known.
#[test]
fn few_degrees_of_freedom_leave_open_what_the_normal_curve_would_decide() {
    let mut criterion = Criterion {
        rule: Rule::Equivalence,
        ..Criterion::significance("dose", ClaimedEffect::NoEffect, 0.05, true)
    };
    criterion.parameters.sesoi = Some(0.5);
    let mut finding = Finding {
        estimate: Some(0.1),
        standard_error: Some(0.2),
        ..Finding::default()
    };
    assert_eq!(judge(&criterion, &finding).outcome, Outcome::Met);
    finding.df = Some(2.0);
    let Judged {
        outcome,
        reason: words,
        ..
    } = judge(&criterion, &finding);
    assert_eq!(outcome, Outcome::Inconclusive);
    assert!(words.contains("on 2 degrees of freedom"), "{words}");
    finding.df = Some(0.0);
    let Judged {
        outcome,
        reason: words,
        ..
    } = judge(&criterion, &finding);
    assert_eq!(outcome, Outcome::Inconclusive);
    assert!(
        words.contains("number of degrees of freedom 0 is not usable"),
        "{words}"
    );
}
