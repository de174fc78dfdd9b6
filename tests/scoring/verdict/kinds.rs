//! Kinds of claims: each can be said, is met by the right numbers and not by the wrong ones.

use reprise::domain::condition::Test;
use reprise::domain::criterion::FixedCriterion;
use reprise::domain::doubt::DoubtCause;
use reprise::domain::verdict::Outcome;
use serde_json::{Value, json};

use super::support::{fixed_verdict, verdict};

fn outcome(given: Value, lines: &[Value]) -> Outcome {
    verdict(given, lines).outcome
}

#[test]
fn an_odds_ratio_below_one_is_negative() {
    let line = json!({"term": "x", "estimate": 0.47, "p": 8e-9, "scale": "ratio",
        "interval": {"lower": 0.364, "upper": 0.607}});
    assert_eq!(
        outcome(
            json!({"direction": "negative", "scale": "ratio"}),
            std::slice::from_ref(&line)
        ),
        Outcome::Met
    );
    assert_eq!(
        outcome(
            json!({"direction": "positive", "scale": "ratio"}),
            std::slice::from_ref(&line)
        ),
        Outcome::Unmet
    );
    // What the code says of its number counts, whatever the plan says.
    let unsaid = verdict(json!({"direction": "negative"}), &[line]);
    assert_eq!(unsaid.outcome, Outcome::Met, "{unsaid:?}");
    let coefficient = json!({"term": "x", "estimate": -0.755, "se": 0.1305, "scale": "log_ratio"});
    assert_eq!(
        outcome(json!({"direction": "negative", "scale": "ratio"}), &[coefficient]),
        Outcome::Met
    );
}

#[test]
fn a_ratio_that_nobody_names_is_not_read_as_a_difference() {
    let line =
        json!({"term": "x", "estimate": 0.47, "p": 8e-9, "interval": {"lower": 0.364, "upper": 0.607}});
    for direction in ["negative", "positive"] {
        let verdict = verdict(json!({ "direction": direction }), std::slice::from_ref(&line));
        assert_eq!(
            (verdict.outcome, verdict.cause),
            (Outcome::Inconclusive, Some(DoubtCause::Scale)),
            "{verdict:?}"
        );
    }
}

#[test]
fn an_omnibus_f_needs_the_order_of_its_means() {
    let f = |means: Value| {
        json!({"term": "x", "statistic": {"kind": "F", "value": 7.70, "df": [1, 204]},
        "p": {"value": 0.006}, "groups": means})
    };
    let order = json!({"scale": "unsigned", "greater": ["a", "b"], "direction": "none"});
    let means = |a: f64, b: f64| json!([{"name": "a", "mean": a}, {"name": "b", "mean": b}]);
    assert_eq!(outcome(order.clone(), &[f(means(3.1, 2.4))]), Outcome::Met);
    let wrong_way = verdict(order.clone(), &[f(means(2.4, 3.1))]);
    assert_eq!(wrong_way.outcome, Outcome::Unmet);
    assert!(
        wrong_way.reason.contains("against the claimed order a > b"),
        "{}",
        wrong_way.reason
    );
    let alone = verdict(order, &[f(Value::Null)]);
    assert_eq!(
        (alone.outcome, alone.cause),
        (Outcome::Inconclusive, Some(DoubtCause::Direction))
    );
    let positive = verdict(json!({}), &[f(Value::Null)]);
    assert_eq!(
        (positive.outcome, positive.cause),
        (Outcome::Inconclusive, Some(DoubtCause::Direction))
    );
    // That it is not significant needs no direction.
    let small = json!({"term": "x", "statistic": {"kind": "F", "value": 0.7, "df": [1, 204]}, "p": 0.4038});
    assert_eq!(outcome(json!({}), &[small]), Outcome::Unmet);
}

#[test]
fn an_f_with_a_contrast_has_its_sign() {
    let f = json!({"term": "x", "statistic": {"kind": "F", "value": 7.7, "df": [2, 204]}, "p": 0.0006});
    let contrast = |estimate: f64| json!({"term": "a - b", "estimate": estimate, "se": 0.2});
    let plan = json!({"scale": "unsigned", "contrast": "a - b"});
    assert_eq!(outcome(plan.clone(), &[f.clone(), contrast(0.7)]), Outcome::Met);
    assert_eq!(outcome(plan, &[f, contrast(-0.7)]), Outcome::Unmet);
}

#[test]
fn a_rank_test_given_as_a_size_has_no_direction() {
    let line = json!({"term": "x", "statistic": {"kind": "z", "value": 2.9}, "p": 0.0037});
    let bare = verdict(json!({}), &[line]);
    assert_eq!(
        (bare.outcome, bare.cause),
        (Outcome::Inconclusive, Some(DoubtCause::Direction)),
        "{bare:?}"
    );
    let with_medians = json!({"term": "x", "statistic": {"kind": "z", "value": 2.9}, "p": 0.0037,
        "groups": [{"name": "treated", "mean": 4.0}, {"name": "control", "mean": 3.0}]});
    let plan = |order: Value| json!({"scale": "unsigned", "direction": "none", "greater": order});
    assert_eq!(
        outcome(
            plan(json!(["treated", "control"])),
            std::slice::from_ref(&with_medians)
        ),
        Outcome::Met
    );
    assert_eq!(
        outcome(plan(json!(["control", "treated"])), &[with_medians]),
        Outcome::Unmet
    );
}

#[test]
fn a_signed_rank_has_the_sign_of_its_shift() {
    let line = |shift: f64| {
        json!({"term": "x", "estimate": shift, "p": {"value": 0.004, "sides": 2},
        "statistic": {"kind": "V", "value": 31}})
    };
    assert_eq!(outcome(json!({}), &[line(0.5)]), Outcome::Met);
    assert_eq!(outcome(json!({}), &[line(-0.5)]), Outcome::Unmet);
}

#[test]
fn a_conjunction_holds_where_each_part_does() {
    let plan = json!({"all": [{"term": "y", "sign": "negative"}]});
    let x = json!({"term": "x", "estimate": 0.5, "se": 0.1});
    let y = |estimate: f64| json!({"term": "y", "estimate": estimate, "se": 0.1});
    let met = verdict(plan.clone(), &[x.clone(), y(-0.4)]);
    assert_eq!(met.outcome, Outcome::Met, "{met:?}");
    assert_eq!(met.conditions.len(), 2);
    assert_eq!(outcome(plan.clone(), &[x.clone(), y(0.4)]), Outcome::Unmet);
    let missing = verdict(plan, &[x]);
    assert_eq!(
        (missing.outcome, missing.cause),
        (Outcome::Inconclusive, Some(DoubtCause::Missing))
    );
}

#[test]
fn alternatives_hold_where_one_does_and_are_a_weaker_rule() {
    let plan = json!({"any": [{"term": "y", "sign": "positive"}], "reason": "The claim says so."});
    let line = |term: &str, estimate: f64| json!({"term": term, "estimate": estimate, "se": 0.1});
    let by_other = verdict(plan.clone(), &[line("x", 0.01), line("y", 0.4)]);
    assert_eq!(
        (by_other.outcome, by_other.cause),
        (Outcome::Inconclusive, Some(DoubtCause::WeakerRule)),
        "{by_other:?}"
    );
    assert_eq!(
        outcome(plan.clone(), &[line("x", 0.4), line("y", 0.01)]),
        Outcome::Met
    );
    assert_eq!(outcome(plan, &[line("x", 0.01), line("y", 0.01)]), Outcome::Unmet);
}

#[test]
fn an_interaction_has_its_pattern() {
    let plan = json!({"focal_term": "treat:age", "greater": ["old", "young"]});
    let line = |old: f64, young: f64| {
        json!({"term": "age:treat", "estimate": 0.3, "se": 0.1,
        "groups": [{"name": "old", "mean": old}, {"name": "young", "mean": young}]})
    };
    assert_eq!(outcome(plan.clone(), &[line(0.6, 0.3)]), Outcome::Met);
    assert_eq!(outcome(plan.clone(), &[line(0.3, 0.6)]), Outcome::Unmet);
    let main_effect = json!({"term": "treat", "estimate": 0.9, "se": 0.1});
    assert_eq!(outcome(plan, &[main_effect]), Outcome::Inconclusive);
}

#[test]
fn an_effect_here_and_none_there() {
    let here = json!({"term": "x", "estimate": 0.5, "se": 0.1});
    let there = |estimate: f64, se: f64| json!({"term": "x_there", "estimate": estimate, "se": se});
    let plan = json!({"all": [{"term": "x_there", "test": "equivalence", "sesoi": 0.2}]});
    assert_eq!(
        outcome(plan.clone(), &[here.clone(), there(0.01, 0.05)]),
        Outcome::Met
    );
    assert_eq!(
        outcome(plan.clone(), &[here.clone(), there(0.5, 0.05)]),
        Outcome::Unmet
    );
    // Not significant is no evidence of no effect.
    assert_eq!(
        outcome(plan, &[here.clone(), there(0.2, 0.3)]),
        Outcome::Inconclusive
    );
    let by_difference =
        json!({"all": [{"term": "x", "test": "difference", "minus": "x_there", "sign": "positive"}]});
    assert_eq!(
        outcome(by_difference.clone(), &[here.clone(), there(0.01, 0.05)]),
        Outcome::Met
    );
    assert_eq!(
        outcome(by_difference, &[here.clone(), there(0.4, 0.2)]),
        Outcome::Unmet
    );
    let beside = json!({"also_reported": [{"term": "x_there", "test": "equivalence", "sesoi": 0.2}]});
    let shown = verdict(beside, &[here, there(0.5, 0.05)]);
    assert_eq!(shown.outcome, Outcome::Met);
    assert_eq!(
        (shown.conditions[1].outcome, shown.conditions[1].decides),
        (Outcome::Unmet, false)
    );
}

#[test]
fn a_credible_interval_excludes_the_null_or_not() {
    let line = |lower: f64| json!({"term": "x", "estimate": 0.4, "interval": {"lower": lower, "upper": 0.9, "level": 0.95, "kind": "credible"}});
    let plan = json!({"test": "interval_excludes"});
    assert_eq!(outcome(plan.clone(), &[line(0.05)]), Outcome::Met);
    assert_eq!(outcome(plan.clone(), &[line(-0.05)]), Outcome::Unmet);
    let narrow =
        json!({"term": "x", "estimate": 0.4, "interval": {"lower": 0.05, "upper": 0.9, "level": 0.8}});
    let open = verdict(plan, &[narrow]);
    assert_eq!(
        (open.outcome, open.cause),
        (Outcome::Inconclusive, Some(DoubtCause::Interval))
    );
}

#[test]
fn non_inferiority_by_its_margin() {
    let plan =
        json!({"test": "non_inferiority", "margin": 0.2, "two_sided": false, "reason": "As the trial did."});
    let line = |estimate: f64, se: f64| json!({"term": "x", "estimate": estimate, "se": se});
    // Where no study fixes it, significance is what it is held against.
    let own = verdict(plan.clone(), &[line(0.0, 0.05)]);
    assert_eq!(
        (own.outcome, own.cause),
        (Outcome::Inconclusive, Some(DoubtCause::WeakerRule)),
        "{own:?}"
    );
    let fixed = FixedCriterion {
        test: Some(Test::NonInferiority),
        margin: Some(0.2),
        ..FixedCriterion::default()
    };
    let outcome = |line: Value| fixed_verdict(plan.clone(), &[line], &fixed).outcome;
    assert_eq!(outcome(line(0.0, 0.05)), Outcome::Met);
    assert_eq!(outcome(line(-0.5, 0.05)), Outcome::Unmet);
    assert_eq!(outcome(line(-0.1, 0.2)), Outcome::Inconclusive);
}

#[test]
fn a_null_far_away_is_a_weaker_rule() {
    let line = json!({"term": "x", "estimate": 0.1, "se": 0.5, "n": 2000});
    let far = verdict(json!({"null": -5.0, "reason": "Why not."}), &[line]);
    assert_eq!(
        (far.outcome, far.cause),
        (Outcome::Inconclusive, Some(DoubtCause::WeakerRule)),
        "{far:?}"
    );
    let interval = json!({"term": "x", "estimate": 0.8, "se": 7.5, "p": {"value": 0.916, "sides": 2},
        "interval": {"lower": 0.1, "upper": 1.5}});
    let beside = verdict(
        json!({"test": "interval_excludes", "reason": "Intervals say more."}),
        &[interval],
    );
    assert_eq!(beside.outcome, Outcome::Inconclusive, "{beside:?}");
}

#[test]
fn another_null_is_tested_by_estimate_and_error() {
    let line = json!({"term": "x", "estimate": 0.8, "se": 0.15, "p": {"value": 1e-7, "sides": 2}});
    assert_eq!(
        outcome(json!({"null": 0.75}), std::slice::from_ref(&line)),
        Outcome::Unmet
    );
    assert_eq!(outcome(json!({"null": 0.1}), &[line]), Outcome::Met);
}

/// A recorded odds ratio with the standard error of its logarithm, by its interval.
fn odds(ratio: f64, log_error: f64) -> Value {
    let bound = |sign: f64| (ratio.ln() + sign * 1.959_963_985 * log_error).exp();
    json!({"term": "x", "estimate": ratio, "scale": "ratio",
        "interval": {"lower": bound(-1.0), "upper": bound(1.0)}})
}

/// The same as the logarithm that a model gives.
fn log_odds(ratio: f64, log_error: f64) -> Value {
    json!({"term": "x", "estimate": ratio.ln(), "se": log_error, "scale": "log_ratio"})
}

#[test]
fn equivalence_of_ratios_is_by_their_logarithms() {
    let rule = |scale: &str, sesoi: f64| {
        json!({"rule": "equivalence", "direction": "none", "scale": scale,
            "parameters": {"sesoi": sesoi, "unit": "odds ratio"}, "reason": "No effect is claimed."})
    };
    let condition = |scale: &str, sesoi: f64| {
        json!({"focal_term": "f",
            "all": [{"term": "x", "test": "equivalence", "scale": scale, "sesoi": sesoi}]})
    };
    let bounds = [("ratio", 1.25), ("ratio", 0.8), ("log_ratio", 1.25_f64.ln())];
    for (scale, sesoi) in bounds {
        for recorded in [odds, log_odds] {
            let both = |ratio: f64, error: f64| {
                let focal = json!({"term": "f", "estimate": 0.9, "se": 0.1, "n": 2000});
                [
                    outcome(rule(scale, sesoi), &[recorded(ratio, error)]),
                    outcome(condition(scale, sesoi), &[focal, recorded(ratio, error)]),
                ]
            };
            // ln 2 = .693 is .47 beyond ln 1.25 = .223.
            assert_eq!(both(2.0, 0.2), [Outcome::Unmet; 2], "{scale} {sesoi}");
            assert_eq!(both(0.5, 0.2), [Outcome::Unmet; 2], "{scale} {sesoi}");
            assert_eq!(both(1.02, 0.05), [Outcome::Met; 2], "{scale} {sesoi}");
            assert_eq!(both(0.98, 0.05), [Outcome::Met; 2], "{scale} {sesoi}");
            assert_eq!(both(1.1, 0.2), [Outcome::Inconclusive; 2], "{scale} {sesoi}");
        }
    }
    // A logarithm of 1.25 is taken as it is.
    assert_eq!(outcome(rule("log_ratio", 1.25), &[odds(2.0, 0.2)]), Outcome::Met);
}

#[test]
fn a_fixed_bound_on_ratios_is_one_too() {
    let fixed: FixedCriterion =
        serde_json::from_value(json!({"rule": "equivalence", "sesoi": 1.25, "direction": "none"})).unwrap();
    let plan = json!({"direction": "negative", "scale": "ratio", "reason": "x"});
    // Significant, and not within a fifth of no effect.
    let found = fixed_verdict(plan, &[odds(0.5, 0.2)], &fixed);
    assert_eq!(
        (found.outcome, found.cause),
        (Outcome::Inconclusive, Some(DoubtCause::WeakerRule)),
        "{found:?}"
    );
}

#[test]
fn non_inferiority_of_ratios_is_by_their_logarithms() {
    let judged = |direction: &str, scale: Value, margin: f64, line: Value| {
        let fixed = FixedCriterion {
            test: Some(Test::NonInferiority),
            margin: Some(margin),
            ..FixedCriterion::default()
        };
        let plan = json!({"test": "non_inferiority", "direction": direction, "scale": scale,
            "margin": margin, "two_sided": false});
        fixed_verdict(plan, &[line], &fixed)
    };
    for (scale, margin) in [("ratio", 1.3), ("ratio", 1.0 / 1.3), ("log_ratio", 1.3_f64.ln())] {
        for recorded in [odds, log_odds] {
            let outcome = |direction: &str, ratio: f64, error: f64| {
                judged(direction, json!(scale), margin, recorded(ratio, error)).outcome
            };
            // A hazard that is to be low: ln 1.3 = .262.
            assert_eq!(outcome("negative", 1.05, 0.08), Outcome::Met);
            assert_eq!(outcome("negative", 2.0, 0.2), Outcome::Unmet);
            assert_eq!(outcome("negative", 1.2, 0.2), Outcome::Inconclusive);
            assert_eq!(outcome("positive", 0.95, 0.08), Outcome::Met);
            assert_eq!(outcome("positive", 0.5, 0.2), Outcome::Unmet);
            assert_eq!(outcome("positive", 0.85, 0.2), Outcome::Inconclusive);
        }
    }
    // ln 2 lies within 1.3 and not within ln 1.3.
    let unsaid = judged("negative", Value::Null, 1.3, odds(2.0, 0.2));
    assert_eq!(
        (unsaid.outcome, unsaid.cause),
        (Outcome::Inconclusive, Some(DoubtCause::Scale)),
        "{unsaid:?}"
    );
    assert_eq!(
        judged("negative", Value::Null, 1.3, odds(1.05, 0.08)).outcome,
        Outcome::Met
    );
}

#[test]
fn a_one_sided_p_gives_the_error_of_one_tail() {
    // R: .05 / qnorm(.85) = .0482, and (.12 - .05) / .0482 = 1.45, p .074.
    let line =
        json!({"term": "x", "estimate": -0.05, "p": {"value": 0.15, "sides": 1, "alternative": "less"}});
    let fixed = FixedCriterion {
        test: Some(Test::NonInferiority),
        margin: Some(0.12),
        ..FixedCriterion::default()
    };
    let plan = json!({"test": "non_inferiority", "margin": 0.12, "two_sided": false});
    let found = fixed_verdict(plan, &[line], &fixed);
    assert_eq!(found.outcome, Outcome::Inconclusive, "{found:?}");
    assert!(found.reason.contains("p = 0.073389"), "{}", found.reason);
}

#[test]
fn a_difference_of_few_rows_is_by_welch() {
    let plan = json!({"test": "difference", "minus": "y"});
    let line = |term: &str, estimate: f64, se: f64, df: Option<f64>| {
        let t = df.map(|df| json!({"kind": "t", "value": estimate / se, "df": df}));
        json!({"term": term, "estimate": estimate, "se": se, "statistic": t})
    };
    let fixed = FixedCriterion {
        test: Some(Test::Difference),
        ..FixedCriterion::default()
    };
    let judged = |df: [Option<f64>; 2]| {
        let lines = [line("x", 2.6, 0.5, df[0]), line("y", 0.3, 0.9, df[1])];
        fixed_verdict(plan.clone(), &lines, &fixed)
    };
    // R: t 2.233957, 7.651605 degrees of freedom: 2 * pt(-2.233957, 7.651605) = .0574323.
    let few = judged([Some(4.0), Some(5.0)]);
    assert_eq!(few.outcome, Outcome::Unmet, "{few:?}");
    assert!(
        few.reason.contains("p = 0.0574323 by t of 7.65161 df, not below"),
        "{}",
        few.reason
    );
    // Without them by the normal curve: .0254859.
    let many = judged([None, None]);
    assert_eq!(many.outcome, Outcome::Met, "{many:?}");
    assert!(many.reason.contains("p = 0.0254859, below"), "{}", many.reason);
}

#[test]
fn two_coefficients_of_one_model_are_not_independent() {
    let plan = json!({"test": "difference", "minus": "y"});
    let fixed = FixedCriterion {
        test: Some(Test::Difference),
        ..FixedCriterion::default()
    };
    let judged = |model: [&str; 2], coefficient: [&str; 2], n: [u64; 2]| {
        let line = |term: &str, estimate: f64, at: usize| {
            json!({"term": term, "estimate": estimate, "se": 0.1, "model": model[at],
                "coefficient": coefficient[at], "n": n[at]})
        };
        let found = fixed_verdict(plan.clone(), &[line("x", 0.9, 0), line("y", 0.1, 1)], &fixed);
        assert_eq!(found.outcome, Outcome::Met, "{found:?}");
        found
            .doubts
            .iter()
            .any(|doubt| !doubt.decides && doubt.detail.contains("coefficients of one model"))
    };
    let one = "OLS o ~ x + y";
    assert!(judged([one, one], ["x", "y"], [900, 900]));
    assert!(!judged([one, "OLS o ~ y"], ["x", "y"], [900, 900]));
    // The same model of two groups.
    assert!(!judged([one, one], ["x", "x"], [900, 900]));
    assert!(!judged([one, one], ["x", "y"], [900, 800]));
}
