//! Numbers that do not fit together decide nothing that hangs on them.

use reprise::domain::doubt::DoubtCause;
use reprise::domain::finding::Finding;
use reprise::domain::verdict::{Outcome, Verdict};
use reprise::verdict::contrary_evidence::DataFacts;
use serde_json::{Value, json};

use super::support::{More, judged, recorded, verdict};

fn open(verdict: &Verdict, cause: DoubtCause) {
    assert_eq!(
        (verdict.outcome, verdict.cause),
        (Outcome::Inconclusive, Some(cause)),
        "{verdict:#?}"
    );
}

fn decide_line(line: Value) -> Verdict {
    verdict(json!({}), &[line])
}

#[test]
fn an_invented_p_value_does_not_decide() {
    let found = decide_line(json!({"term": "x", "estimate": 0.40, "se": 0.38, "p": 0.00002}));
    open(&found, DoubtCause::PValue);
    assert!(
        found.reason.contains("0.38") && found.reason.contains("2e-5"),
        "{}",
        found.reason
    );
}

#[test]
fn estimate_error_and_interval_do_without_a_p_value() {
    let found = decide_line(
        json!({"term": "x", "estimate": 1.94, "se": 0.0906, "statistic": {"kind": "t", "value": 21.42, "df": 2}}),
    );
    assert_eq!(found.outcome, Outcome::Met, "{found:#?}");
    assert!(
        found.reason.contains("from the statistic t(2) = 21.42"),
        "{}",
        found.reason
    );
    assert_eq!(
        decide_line(json!({"term": "x", "estimate": 0.5, "interval": {"lower": 0.1, "upper": 0.9}})).outcome,
        Outcome::Met
    );
    assert_eq!(
        decide_line(json!({"term": "x", "estimate": 0.5, "se": 0.4, "n": 100})).outcome,
        Outcome::Unmet
    );
    open(
        &decide_line(json!({"term": "x", "estimate": 0.5})),
        DoubtCause::Missing,
    );
}

#[test]
fn an_estimate_lies_in_its_interval() {
    let p = json!({"value": 0.00123, "sides": 2});
    let line = |estimate: f64, lower: f64, upper: f64| json!({"term": "x", "estimate": estimate, "p": p, "interval": {"lower": lower, "upper": upper}});
    let found = decide_line(line(0.412, -0.912, -0.513));
    open(&found, DoubtCause::Interval);
    assert!(
        found
            .reason
            .contains("lies outside its interval from -0.912 to -0.513"),
        "{}",
        found.reason
    );
    assert_eq!(decide_line(line(0.412, 0.162, 0.662)).outcome, Outcome::Met);
    let excludes = |estimate: f64| {
        verdict(
            json!({"test": "interval_excludes", "reason": "A credible interval."}),
            &[
                json!({"term": "x", "estimate": estimate, "interval": {"lower": 0.2, "upper": 0.6, "kind": "credible"}}),
            ],
        )
    };
    open(&excludes(-0.3), DoubtCause::Interval);
}

#[test]
fn a_claim_of_no_effect_is_held_against_its_numbers() {
    let none = |line: Value| {
        let rule = json!({"direction": "none", "rule": "equivalence", "parameters": {"sesoi": 0.1}});
        verdict(rule, &[line])
    };
    let fits = json!({"term": "x", "estimate": 0.01, "se": 0.02, "n": 5000, "interval": {"lower": -0.029, "upper": 0.049}});
    assert_eq!(none(fits).outcome, Outcome::Met);
    let odd = json!({"term": "x", "estimate": 0.01, "se": 0.02, "p": 1e-6, "interval": {"lower": 0.2, "upper": 0.6}});
    assert_eq!(none(odd).outcome, Outcome::Inconclusive);
}

#[test]
fn a_p_of_nothing_is_held_against_the_rest() {
    open(
        &decide_line(json!({"term": "x", "estimate": 0.40, "se": 0.38, "p": 0})),
        DoubtCause::PValue,
    );
    let clear = json!({"term": "x", "estimate": 1.94, "se": 0.0906, "n": 500, "p": 0});
    assert_eq!(decide_line(clear).outcome, Outcome::Met);
}

#[test]
fn a_one_sided_p_is_of_the_side_that_it_was_tested_on() {
    let line = |p: f64, side: &str| json!({"term": "x", "estimate": 0.4, "se": 0.171, "n": 900, "p": {"value": p, "sides": 1, "alternative": side}});
    open(&decide_line(line(0.9903, "greater")), DoubtCause::Sides);
    assert_eq!(decide_line(line(0.9903, "less")).outcome, Outcome::Met);
    open(&decide_line(line(0.0097, "less")), DoubtCause::Sides);
    assert_eq!(decide_line(line(0.0097, "greater")).outcome, Outcome::Met);
    let alone = json!({"term": "x", "statistic": {"kind": "t", "value": 2.05, "df": 100},
        "p": {"value": 0.0215, "sides": 1, "alternative": "less"}});
    open(&decide_line(alone), DoubtCause::Sides);
}

#[test]
fn a_one_sided_p_is_not_doubled_twice() {
    let one_sided = json!({"two_sided": false, "reason": "The claim has a direction."});
    let line = json!({"term": "x", "estimate": 0.5, "se": 0.3559, "p": {"value": 0.08, "sides": 1}});
    let found = verdict(one_sided.clone(), &[line]);
    assert_eq!(found.outcome, Outcome::Unmet, "{found:#?}");
    // z = 1.405: two-sided .16, one-sided .08, said by value alone.
    let unsaid = json!({"term": "x", "estimate": 0.5, "se": 0.3559, "p": 0.08, "statistic": {"kind": "z", "value": 1.405}});
    let found = verdict(one_sided, &[unsaid]);
    assert_eq!(found.outcome, Outcome::Unmet, "{found:#?}");
    assert!(
        found
            .doubts
            .iter()
            .any(|doubt| doubt.cause == DoubtCause::Sides && !doubt.decides)
    );
}

#[test]
fn a_halved_p_is_named() {
    // t(100) = 1.8: two-sided .0749, one-sided .0374.
    let line = |sides: Value| {
        json!({"term": "x", "estimate": 0.9, "se": 0.5, "p": {"value": 0.0374, "sides": sides},
        "statistic": {"kind": "t", "value": 1.8, "df": 100}})
    };
    let said = decide_line(line(json!(2)));
    open(&said, DoubtCause::Sides);
    let unsaid = decide_line(line(Value::Null));
    assert_eq!(unsaid.outcome, Outcome::Unmet, "{unsaid:#?}");
    open(
        &decide_line(json!({"term": "x", "estimate": 0.9, "p": 0.0374})),
        DoubtCause::Sides,
    );
}

#[test]
fn signs_and_intervals_have_to_agree() {
    let line = json!({"term": "x", "estimate": 0.9, "statistic": {"kind": "t", "value": -3.0, "df": 100}, "p": 0.0034});
    open(&decide_line(line), DoubtCause::Statistic);
    let line = json!({"term": "x", "estimate": 0.9, "se": 0.3, "interval": {"lower": -0.4, "upper": 2.2}, "p": {"value": 0.0027, "sides": 2}});
    open(&decide_line(line), DoubtCause::Interval);
    // What does not hang on it stands, with the doubt beside it.
    let line = json!({"term": "x", "estimate": 0.9, "se": 0.1, "p": {"value": 0.001, "sides": 2}, "statistic": {"kind": "z", "value": 9.0}});
    let stands = decide_line(line);
    assert_eq!(stands.outcome, Outcome::Met);
    assert!(stands.doubts.iter().any(|doubt| !doubt.decides), "{stands:#?}");
}

#[test]
fn stars_and_bounds_tell_what_they_can() {
    let line = |value: f64| json!({"term": "x", "estimate": 0.9, "p": {"value": value, "relation": "<", "sides": 2}});
    assert_eq!(decide_line(line(0.01)).outcome, Outcome::Met);
    open(&decide_line(line(0.1)), DoubtCause::Bound);
}

#[test]
fn several_results_of_one_name_have_to_agree() {
    let line = |estimate: f64| json!({"term": "x", "estimate": estimate, "se": 0.1});
    open(&verdict(json!({}), &[line(0.01), line(0.5)]), DoubtCause::Several);
    assert_eq!(verdict(json!({}), &[line(0.4), line(0.5)]).outcome, Outcome::Met);
}

#[test]
fn another_term_s_numbers_are_not_taken() {
    let line = |term: &str, estimate: f64| json!({"term": term, "estimate": estimate, "se": 0.1});
    let found = verdict(json!({}), &[line("z", 0.5)]);
    assert_ne!(found.outcome, Outcome::Met);
    // Reported for the focal term and printed somewhere, but bound to no line of it.
    let reported = recorded(&[line("x", 0.5)]);
    let mut outputs = reprise::verdict::trace::Output::default();
    outputs.add(reprise::domain::ids::ExecutionId(1), "z 0.5 0.1 p 0.0001");
    let found = judged(
        json!({}),
        &[],
        More {
            reported,
            outputs,
            ..More::default()
        },
    );
    open(&found, DoubtCause::Term);
}

#[test]
fn data_and_rows_speak_too() {
    let line = json!({"term": "x", "estimate": 0.5, "se": 0.1, "n": 60});
    let data = DataFacts {
        planned: vec!["replication_data/a.csv".into()],
        unplanned: vec!["replication_data/decoy.csv".into()],
        complete: true,
        has_data: true,
        ..DataFacts::default()
    };
    open(
        &judged(
            json!({}),
            std::slice::from_ref(&line),
            More {
                data,
                ..More::default()
            },
        ),
        DoubtCause::Data,
    );
    let rows = DataFacts {
        expected: Some(102),
        ..DataFacts::default()
    };
    open(
        &judged(
            json!({}),
            &[line],
            More {
                data: rows,
                ..More::default()
            },
        ),
        DoubtCause::SampleSize,
    );
}

#[test]
fn the_original_s_numbers_and_what_is_not_from_the_data() {
    let line = json!({"term": "x", "estimate": 0.599, "se": 0.12});
    let original = Finding {
        estimate: Some(0.599),
        standard_error: Some(0.12),
        ..Finding::default()
    };
    open(
        &judged(
            json!({}),
            std::slice::from_ref(&line),
            More {
                original: Some(original),
                ..More::default()
            },
        ),
        DoubtCause::OriginalNumbers,
    );
    let probed = vec![reprise::domain::doubt::Doubt::deciding(
        DoubtCause::NotFromData,
        "It stays without the data.",
    )];
    open(
        &judged(
            json!({}),
            &[line],
            More {
                probed,
                ..More::default()
            },
        ),
        DoubtCause::NotFromData,
    );
}

#[test]
fn what_the_agent_reports_is_compared_and_does_not_count() {
    let line = json!({"term": "x", "estimate": 0.01, "se": 0.1});
    let reported = recorded(&[json!({"term": "x", "estimate": 0.9, "se": 0.1})]);
    let found = judged(
        json!({}),
        &[line],
        More {
            reported,
            ..More::default()
        },
    );
    assert_eq!(found.outcome, Outcome::Unmet);
    assert!(
        found.doubts.iter().any(|doubt| doubt.cause == DoubtCause::Report),
        "{found:#?}"
    );
}

#[test]
fn an_estimate_lies_inside_its_interval() {
    let p = json!({"value": 0.00123, "sides": 2});
    let outside =
        json!({"term": "x", "estimate": 0.412, "p": p, "interval": {"lower": -0.912, "upper": -0.513}});
    open(&decide_line(outside), DoubtCause::Interval);
    let ratio = json!({"term": "x", "estimate": 1.512, "p": p, "scale": "ratio", "interval": {"lower": 5.3, "upper": 9.7}});
    open(&decide_line(ratio), DoubtCause::Interval);
    let excludes = json!({"test": "interval_excludes", "reason": "The plan is Bayesian."});
    let credible =
        json!({"term": "x", "estimate": -0.3, "interval": {"lower": 0.2, "upper": 0.6, "kind": "credible"}});
    open(&verdict(excludes.clone(), &[credible]), DoubtCause::Interval);
    let zero =
        json!({"term": "x", "estimate": -0.3, "interval": {"lower": 0, "upper": 0.6, "kind": "credible"}});
    open(&verdict(excludes, &[zero]), DoubtCause::Interval);
    // A profile or a bootstrap is askew, and 0.5 may be .52.
    for (estimate, lower) in [(0.21, 0.2), (0.5, 0.51)] {
        let askew =
            json!({"term": "x", "estimate": estimate, "p": p, "interval": {"lower": lower, "upper": 1.9}});
        let found = decide_line(askew);
        assert_eq!(
            (found.outcome, found.doubts.len()),
            (Outcome::Met, 0),
            "{found:#?}"
        );
    }
}

#[test]
fn a_width_that_is_not_of_the_error_stands_beside() {
    let of_width = |line: Value| {
        let found = decide_line(line);
        assert_eq!(found.outcome, Outcome::Met, "{found:#?}");
        let told = found
            .doubts
            .iter()
            .any(|doubt| doubt.cause == DoubtCause::Interval && doubt.detail.contains("to each side"));
        assert!(found.doubts.iter().all(|doubt| !doubt.decides), "{found:#?}");
        told
    };
    let line = |se: f64, lower: f64, upper: f64| json!({"term": "x", "estimate": 0.5, "se": se, "interval": {"lower": lower, "upper": upper}});
    assert!(of_width(line(0.102, 0.44, 0.56)), "too narrow");
    assert!(of_width(line(0.052, 0.11, 0.89)), "too wide");
    assert!(!of_width(line(0.102, 0.3, 0.7)), "by the normal curve");
    assert!(!of_width(line(0.102, 0.22, 0.79)), "by t of four");
    // ln 1.72 = .5423; the error of the ratio is 1.72 times that of its logarithm.
    for se in [0.102, 0.1754] {
        let ratio = json!({"term": "x", "estimate": 1.72, "se": se, "scale": "ratio", "interval": {"lower": 1.41, "upper": 2.1}});
        assert!(!of_width(ratio));
    }
}

#[test]
fn a_claim_of_no_effect_rests_on_numbers_that_fit() {
    let given = json!({"rule": "equivalence", "parameters": {"sesoi": 0.1}, "direction": "none", "reason": "It claims none."});
    let spoilt = json!({"term": "x", "estimate": 0.01, "se": 0.02, "p": 1e-6, "interval": {"lower": 0.2, "upper": 0.6}});
    let found = verdict(given.clone(), &[spoilt]);
    assert_eq!(found.outcome, Outcome::Inconclusive, "{found:#?}");
    for cause in [DoubtCause::PValue, DoubtCause::Interval] {
        assert!(
            found
                .doubts
                .iter()
                .any(|doubt| doubt.decides && doubt.cause == cause),
            "{found:#?}"
        );
    }
    let sound = json!({"term": "x", "estimate": 0.01, "se": 0.02, "p": 0.617, "interval": {"lower": -0.029, "upper": 0.049}});
    let found = verdict(given.clone(), std::slice::from_ref(&sound));
    assert_eq!(
        (found.outcome, found.doubts.len()),
        (Outcome::Met, 0),
        "{found:#?}"
    );
    // 1.01 with the error .02 is no effect as a ratio and a large one as a difference.
    let mut scaled = given;
    scaled["scale"] = json!("ratio");
    scaled["parameters"]["sesoi"] = json!(1.1);
    let line = json!({"term": "x", "estimate": 1.01, "se": 0.02, "scale": "difference", "interval": {"lower": 0.97, "upper": 1.05}});
    let found = verdict(scaled, &[line]);
    assert!(
        found.doubts.iter().any(|doubt| doubt.cause == DoubtCause::Scale),
        "{found:#?}"
    );
}

#[test]
fn a_p_that_was_raised_for_its_family_is_not_below_that_of_its_test() {
    // 2 * t.sf(2.2, 95) = .0302; Tukey's of three means is .0765.
    let line = |p: f64, adjusted: &str| {
        json!({"term": "x", "estimate": 0.22, "se": 0.1, "statistic": {"kind": "t", "value": 2.2, "df": 95},
               "p": {"value": p, "sides": 2, "adjusted": adjusted}})
    };
    let strong = json!({"term": "x", "estimate": 0.3, "se": 0.1, "statistic": {"kind": "t", "value": 3.0, "df": 95},
                        "p": {"value": 0.0096, "sides": 2, "adjusted": "tukey"}});
    let found = decide_line(strong);
    assert_eq!(
        (found.outcome, found.doubts.len()),
        (Outcome::Met, 0),
        "{found:#?}"
    );
    assert!(found.reason.contains("adjusted (tukey)"), "{}", found.reason);
    // Which of the two counts, the plan does not say.
    let split = decide_line(line(0.0765, "tukey"));
    open(&split, DoubtCause::PValue);
    assert!(
        split
            .doubts
            .iter()
            .any(|doubt| doubt.detail.contains("0.0302") && doubt.detail.contains("0.0765"))
    );
    // It cannot be below what its own test gives.
    let mut weak = line(0.01, "tukey");
    weak["statistic"]["value"] = json!(1.1);
    weak["estimate"] = json!(0.11);
    open(&decide_line(weak), DoubtCause::Statistic);
    let neither = json!({"term": "x", "estimate": 0.11, "se": 0.1, "p": {"value": 0.52, "sides": 2, "adjusted": "tukey"}});
    let found = decide_line(neither);
    assert_eq!(
        (found.outcome, found.doubts.len()),
        (Outcome::Unmet, 0),
        "{found:#?}"
    );
}
