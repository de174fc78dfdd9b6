//! Plans that ask for less than what is fixed for their claim.

use reprise::domain::condition::Test;
use reprise::domain::criterion::FixedCriterion;
use reprise::domain::doubt::DoubtCause;
use reprise::domain::verdict::{Outcome, Verdict};
use serde_json::{Value, json};

use super::support::{fixed_verdict, verdict};

/// A line whose means stand in the order a > b, by F(2, 204) with this p-value.
fn omnibus(value: f64, p: f64) -> Value {
    json!({"term": "x", "statistic": {"kind": "F", "value": value, "df": [2, 204]}, "p": p,
        "groups": [{"name": "a", "mean": 3.1}, {"name": "b", "mean": 2.4}]})
}

fn left_open(found: &Verdict, cause: DoubtCause) {
    assert_eq!(
        (found.outcome, found.cause),
        (Outcome::Inconclusive, Some(cause)),
        "{found:#?}"
    );
}

#[test]
fn a_weaker_level_gives_no_plain_met() {
    // z = 1.8: p = .072.
    let line = json!({"term": "x", "estimate": 0.9, "se": 0.5, "n": 2000});
    let weak = json!({"alpha": 0.1, "reason": "The paper uses ten percent."});
    let found = verdict(weak.clone(), &[line]);
    assert_eq!(
        (found.outcome, found.cause),
        (Outcome::Inconclusive, Some(DoubtCause::WeakerRule)),
        "{found:#?}"
    );
    let strong = json!({"term": "x", "estimate": 0.9, "se": 0.1, "n": 2000});
    let found = verdict(weak.clone(), &[strong]);
    assert_eq!(found.outcome, Outcome::Met);
    assert_eq!(
        found.departure.as_deref(),
        Some("alpha 0.1, not 0.05 (the plan's reason: The paper uses ten percent)")
    );
    let none = json!({"term": "x", "estimate": 0.1, "se": 0.5, "n": 2000});
    assert_eq!(verdict(weak, &[none]).outcome, Outcome::Unmet);
}

#[test]
fn one_side_is_weaker_too() {
    let line = json!({"term": "x", "estimate": 0.9, "se": 0.5, "n": 2000});
    let found = verdict(json!({"two_sided": false, "reason": "Directed."}), &[line]);
    assert_eq!(
        (found.outcome, found.cause),
        (Outcome::Inconclusive, Some(DoubtCause::WeakerRule)),
        "{found:#?}"
    );
}

#[test]
fn a_stricter_plan_is_its_own_matter() {
    let line = json!({"term": "x", "estimate": 0.9, "se": 0.4, "n": 2000});
    assert_eq!(verdict(json!({"alpha": 0.01}), &[line]).outcome, Outcome::Unmet);
}

#[test]
fn an_order_of_means_is_held_to_the_fixed_level() {
    let plan = |more: Value| {
        let mut plan =
            json!({"direction": "none", "scale": "unsigned", "greater": ["a", "b"], "reason": "x"});
        for (key, value) in more.as_object().unwrap() {
            plan[key] = value.clone();
        }
        plan
    };
    // scipy.stats: f.sf(2.557, 2, 204) = .0800, f.sf(7.7, 2, 204) = .0006.
    let weaker = [
        (json!({"alpha": 0.1}), DoubtCause::WeakerRule),
        (json!({"two_sided": false}), DoubtCause::Sides),
    ];
    for (weaker, cause) in weaker {
        left_open(&verdict(plan(weaker.clone()), &[omnibus(2.557, 0.08)]), cause);
        let clear = verdict(plan(weaker), &[omnibus(7.7, 0.0006)]);
        assert_eq!(clear.outcome, Outcome::Met, "{clear:#?}");
    }
    let contrast = json!({"term": "a - b", "estimate": 0.7, "se": 0.2});
    let by_contrast = json!({"scale": "unsigned", "contrast": "a - b", "alpha": 0.1, "reason": "x"});
    left_open(
        &verdict(by_contrast, &[omnibus(2.557, 0.08), contrast]),
        DoubtCause::WeakerRule,
    );
}

#[test]
fn a_test_of_several_groups_has_no_side_even_where_one_is_fixed() {
    let plan = json!({"direction": "none", "scale": "unsigned", "greater": ["a", "b"], "two_sided": false});
    for two_sided in [None, Some(false)] {
        let fixed = FixedCriterion {
            alpha: Some(0.05),
            two_sided,
            ..FixedCriterion::default()
        };
        left_open(
            &fixed_verdict(plan.clone(), &[omnibus(2.557, 0.08)], &fixed),
            DoubtCause::Sides,
        );
        let clear = fixed_verdict(plan.clone(), &[omnibus(7.7, 0.0006)], &fixed);
        assert_eq!(clear.outcome, Outcome::Met, "{clear:#?}");
        // One degree of freedom is a t that was squared: f.sf(2.9, 1, 204) = .0901.
        let squared = json!({"term": "x", "statistic": {"kind": "F", "value": 2.9, "df": [1, 204]}, "p": 0.0901,
            "groups": [{"name": "a", "mean": 3.1}, {"name": "b", "mean": 2.4}]});
        let one = fixed_verdict(plan.clone(), &[squared], &fixed);
        assert_eq!(one.outcome, Outcome::Met, "{one:#?}");
    }
    // Nor has a further condition.
    let mut further = omnibus(2.557, 0.08);
    further["term"] = json!("y");
    let all = json!({"all": [{"term": "y", "scale": "unsigned", "greater": ["a", "b"], "sides": 1}]});
    let focal = json!({"term": "x", "estimate": 0.9, "se": 0.1, "n": 2000});
    let said = verdict(all, &[focal, further]);
    left_open(&said, DoubtCause::Sides);
    assert!(
        said.conditions
            .iter()
            .any(|one| one.outcome == Outcome::Inconclusive),
        "{:#?}",
        said.conditions
    );
}

#[test]
fn an_interval_is_held_to_the_fixed_level_and_null() {
    let interval = |level: f64, kind: &str| {
        json!({"term": "x", "estimate": 0.4,
            "interval": {"lower": 0.05, "upper": 0.75, "level": level, "kind": kind}})
    };
    let plan = |alpha: f64, no_effect: f64| {
        json!({"test": "interval_excludes", "alpha": alpha, "null": no_effect,
            "reason": "The model is Bayesian."})
    };
    for kind in ["credible", "confidence"] {
        let narrow = verdict(plan(0.2, 0.0), &[interval(0.8, kind)]);
        left_open(&narrow, DoubtCause::WeakerRule);
        assert!(
            narrow.doubts[0]
                .detail
                .ends_with("excludes 0, and 95 % are asked for."),
            "{narrow:#?}"
        );
    }
    let usual = verdict(plan(0.05, 0.0), &[interval(0.95, "credible")]);
    assert_eq!(usual.outcome, Outcome::Met, "{usual:#?}");
    let below = json!({"term": "x", "estimate": 0.4,
        "interval": {"lower": -0.1, "upper": 0.9, "level": 0.95, "kind": "credible"}});
    left_open(&verdict(plan(0.05, -0.5), &[below]), DoubtCause::WeakerRule);
    // One side that is fixed is passed by the interval of twice its level.
    let fixed = FixedCriterion {
        alpha: Some(0.05),
        two_sided: Some(false),
        ..FixedCriterion::default()
    };
    let one_sided = fixed_verdict(plan(0.1, 0.0), &[interval(0.9, "credible")], &fixed);
    assert_eq!(one_sided.outcome, Outcome::Met, "{one_sided:#?}");
    // A margin that is fixed is not passed by an interval that cannot be held to it.
    let margin = FixedCriterion {
        test: Some(Test::NonInferiority),
        margin: Some(0.2),
        ..FixedCriterion::default()
    };
    left_open(
        &fixed_verdict(plan(0.05, 0.0), &[without_estimate()], &margin),
        DoubtCause::WeakerRule,
    );
}

/// A credible interval above zero without an estimate.
fn without_estimate() -> Value {
    json!({"term": "x", "interval": {"lower": 0.05, "upper": 0.75, "level": 0.95, "kind": "credible"}})
}
