//! Rules that can be registered, and the figures beside a verdict.

use reprise::domain::finding::{Finding, Interval};
use reprise::domain::parameters::Parameters;
use reprise::domain::rule::Rule;
use reprise::domain::verdict::{Outcome, Verdict};
use reprise::statistics::precision::FindingPrecision as _;

#[test]
fn each_parameter_has_its_range_and_a_misfit_says_which() {
    for (rule, name, inside, outside, expected) in [
        (
            Rule::PredictionInterval,
            "level",
            &[0.5, 0.95, 0.999][..],
            &[0.49, 1.0, 95.0][..],
            "coverage",
        ),
        (
            Rule::SmallTelescopes,
            "power",
            &[0.001, 0.33, 0.999],
            &[0.0, 1.0, -0.3],
            "power",
        ),
        (
            Rule::ReplicationBayesFactor,
            "bayes_factor",
            &[1.01, 10.0, 1e100],
            &[1.0, 0.3, 1e101],
            "number above 1",
        ),
        (
            Rule::Equivalence,
            "sesoi",
            &[1e-100, 0.1, 1e100],
            &[0.0, -0.1, 1e101],
            "smallest effect",
        ),
        (
            Rule::EffectRatio,
            "least_ratio",
            &[1e-100, 0.5, 1e100],
            &[0.0, -0.5, 1e101],
            "smallest share",
        ),
    ] {
        let of = |value: f64| -> Parameters {
            serde_json::from_value(serde_json::json!({ name: value })).unwrap()
        };
        for value in inside {
            assert_eq!(of(*value).misfits(rule), [], "{name} {value}");
            assert!(!of(*value).is_empty());
        }
        for value in outside {
            let misfits = of(*value).misfits(rule);
            let [misfit] = misfits.as_slice() else {
                panic!("{name} {value}: {misfits:?}");
            };
            assert!(
                misfit.name == name && misfit.expected.contains(expected),
                "{misfit:?}"
            );
        }
    }
    assert!(Parameters::default().is_empty());
}

#[test]
fn the_rules_that_need_an_original_or_a_direction_are_these() {
    let named = |test: fn(Rule) -> bool| Rule::all().filter(|rule| !test(*rule)).collect::<Vec<_>>();
    assert_eq!(
        named(Rule::needs_original),
        [
            Rule::SignificanceAndDirection,
            Rule::Equivalence,
            Rule::DefaultBayesFactor
        ]
    );
    assert_eq!(
        named(Rule::has_direction),
        [
            Rule::OriginalInReplicationInterval,
            Rule::ReplicationInOriginalInterval,
            Rule::PredictionInterval,
            Rule::Heterogeneity,
            Rule::Correspondence,
            Rule::NumericalAgreement,
        ]
    );
}

#[test]
fn a_verdict_is_disputed_where_the_agent_concluded_something_else() {
    let of = |outcome, agent| {
        let verdict = Verdict {
            agent,
            ..Verdict::plain(outcome, "")
        };
        verdict.is_disputed()
    };
    assert!(of(Outcome::Unmet, Some(Outcome::Met)));
    assert!(of(Outcome::Inconclusive, Some(Outcome::Unmet)));
    assert!(!of(Outcome::Met, Some(Outcome::Met)));
    assert!(!of(Outcome::Met, None));
}

#[test]
fn a_reported_interval_of_another_level_is_not_shown_as_one_of_95() {
    let finding = |level, standard_error| Finding {
        estimate: Some(2.0),
        standard_error,
        interval: Some(Interval {
            lower: 1.0,
            upper: 3.5,
            level,
        }),
        ..Finding::default()
    };
    let reported = finding(0.95, Some(0.5)).interval95().unwrap();
    assert_eq!((reported.lower, reported.upper), (1.0, 3.5));
    for level in [0.9, 0.99] {
        let own = finding(level, Some(0.5)).interval95().unwrap();
        let bounds = [own.lower, own.upper, own.level].map(|bound| (bound * 1e4).round());
        assert_eq!(bounds, [10_200.0, 29_800.0, 9500.0]);
        assert_eq!(finding(level, None).interval95(), None);
    }
}
