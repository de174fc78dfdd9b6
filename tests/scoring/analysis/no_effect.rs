//! A claim that there is no effect, from its registration to its verdict.

use proptest::prelude::*;
use reprise::catalog::artifacts::criterion::{disagreement, faults};
use reprise::domain::claimed_effect::ClaimedEffect;
use reprise::domain::criterion::Criterion;
use reprise::domain::finding::{Finding, PValue, Relation};
use reprise::domain::rule::Rule;
use reprise::domain::verdict::Outcome;
use reprise::verdict::criteria::primary::judge;
use reprise::verdict::judged::Judged;

fn finding(estimate: f64, error: f64) -> Finding {
    Finding {
        name: "dose".into(),
        estimate: Some(estimate),
        standard_error: Some(error),
        ..Finding::default()
    }
}

/// A finding with degrees of freedom, where the rule compares correlations.
fn sized(rule: Rule, finding: Finding) -> Finding {
    Finding {
        df: rule.compares_correlations().then_some(600.0),
        ..finding
    }
}

/// A registered rule of a claim of no effect, whose original is 0.02 with a
/// standard error of 0.05.
fn registered(rule: Rule) -> Criterion {
    let mut criterion = Criterion {
        rule,
        original: rule.needs_original().then(|| sized(rule, finding(0.02, 0.05))),
        reason: "the claim is of no effect".into(),
        ..Criterion::significance("dose", ClaimedEffect::NoEffect, 0.05, true)
    };
    criterion.parameters.unit = "r".into();
    criterion.parameters.sesoi = (rule == Rule::Equivalence).then_some(0.1);
    criterion.parameters.least_ratio = (rule == Rule::EffectRatio).then_some(0.3);
    criterion
}

#[test]
fn equivalence_is_met_inside_not_met_outside_on_either_side_and_open_between() {
    let criterion = registered(Rule::Equivalence);
    assert_eq!(faults(&criterion), []);
    // The 90 % interval of each is 1.645 standard errors to either side.
    for (estimate, error, expected, words) in [
        (0.01, 0.03, Outcome::Met, "is significantly within ±0.1"),
        (-0.05, 0.03, Outcome::Met, "is significantly within ±0.1"),
        (0.08, 0.01, Outcome::Met, "is significantly within ±0.1"),
        (0.20, 0.03, Outcome::Unmet, "is significantly outside ±0.1"),
        (-0.20, 0.03, Outcome::Unmet, "is significantly outside ±0.1"),
        (
            0.01,
            0.20,
            Outcome::Inconclusive,
            "nor significantly outside ±0.1",
        ),
        (
            0.10,
            0.03,
            Outcome::Inconclusive,
            "nor significantly outside ±0.1",
        ),
        (
            -0.12,
            0.03,
            Outcome::Inconclusive,
            "nor significantly outside ±0.1",
        ),
    ] {
        let Judged {
            outcome,
            reason: said,
            ..
        } = judge(&criterion, &finding(estimate, error));
        assert_eq!(outcome, expected, "{estimate} ± {error}: {said}");
        assert!(said.contains(words), "{said}");
    }
}

/// A significant effect within the smallest one of interest meets the claim; for
/// a claim of an effect the same numbers are a miss.
#[test]
fn the_claim_decides_which_way_equivalence_counts() {
    let small = finding(0.05, 0.01);
    let mut criterion = registered(Rule::Equivalence);
    assert_eq!(judge(&criterion, &small).outcome, Outcome::Met);
    criterion.direction = ClaimedEffect::Positive;
    assert_eq!(judge(&criterion, &small).outcome, Outcome::Unmet);
}

#[test]
fn a_rule_that_asks_for_a_sign_is_refused_in_one_sentence_with_the_way_out() {
    for rule in Rule::all().filter(|rule| *rule != Rule::NumericalAgreement) {
        let criterion = registered(rule);
        let told: Vec<String> = faults(&criterion).iter().map(ToString::to_string).collect();
        if rule.decides_no_effect() {
            assert!(told.is_empty(), "{rule}: {told:?}");
            continue;
        }
        assert_eq!(told.len(), 1, "{rule}: {told:?}");
        for words in [
            format!("/criterion/rule: a claim of no effect cannot be decided by {rule}"),
            "Expected: equivalence with a `sesoi`".to_owned(),
            "heterogeneity or correspondence".to_owned(),
        ] {
            assert!(told[0].contains(&words), "{rule}: {}", told[0]);
        }
        // Registered all the same, it decides nothing whatever comes out.
        for (estimate, error) in [(0.0, 1.0), (0.001, 0.01), (0.5, 0.01), (-0.5, 0.01)] {
            let tested = Finding {
                p_value: Some(PValue {
                    relation: Relation::Equal,
                    value: 0.5,
                }),
                ..finding(estimate, error)
            };
            let Judged {
                outcome,
                reason: said,
                ..
            } = judge(&criterion, &tested);
            assert_eq!(outcome, Outcome::Inconclusive, "{rule}: {said}");
            assert!(said.contains("claim of no effect"), "{rule}: {said}");
        }
    }
}

#[test]
fn agreement_with_the_original_is_not_called_evidence() {
    let precise = finding(0.01, 0.03);
    let apart = finding(0.5, 0.03);
    let compared = |rule: &Rule| !rule.has_direction() && *rule != Rule::NumericalAgreement;
    for rule in Rule::all().filter(compared) {
        let Judged {
            outcome,
            reason: said,
            ..
        } = judge(&registered(rule), &sized(rule, precise.clone()));
        assert_eq!(outcome, Outcome::Met, "{rule}: {said}");
        assert!(
            said.contains("no evidence that there is no effect"),
            "{rule}: {said}"
        );
        let Judged {
            outcome,
            reason: said,
            ..
        } = judge(&registered(rule), &sized(rule, apart.clone()));
        assert_eq!(outcome, Outcome::Unmet, "{rule}: {said}");
        assert!(!said.contains("no evidence"), "{rule}: {said}");
    }
}

#[test]
fn a_claim_of_no_effect_has_two_sides_and_a_reasoned_size() {
    let mut criterion = registered(Rule::Equivalence);
    criterion.two_sided = false;
    let told = faults(&criterion)[0].to_string();
    assert!(
        told.contains("/two_sided: a claim of no effect has no side"),
        "{told}"
    );
    criterion = registered(Rule::Equivalence);
    criterion.parameters.sesoi = None;
    assert!(faults(&criterion)[0].to_string().contains("without `sesoi`"));
    criterion = registered(Rule::Equivalence);
    criterion.reason.clear();
    let told = disagreement(&criterion, None).unwrap().to_string();
    assert!(told.contains("where the `sesoi` is taken from"), "{told}");
    assert!(!told.contains("significance_and_direction"), "{told}");
    let mut original = registered(Rule::PredictionInterval);
    original.original.as_mut().unwrap().df = Some(-3.0);
    let told = faults(&original)[0].to_string();
    assert!(
        told.contains("/original/df: -3 is no number of degrees of freedom"),
        "{told}"
    );
}

proptest! {
    /// Whatever the numbers, a claim of no effect is met by equivalence only
    /// where the interval lies within the smallest effect of interest.
    #[test]
    fn what_is_not_significant_never_counts_for_it(
        estimate in -2.0..2.0,
        error in 0.001..5.0,
        df in proptest::option::of(1.0..200.0),
        p in 0.0..=1.0,
    ) {
        let criterion = registered(Rule::Equivalence);
        let tested = |estimate| Finding {
            df,
            p_value: Some(PValue { relation: Relation::Equal, value: p }),
            ..finding(estimate, error)
        };
        let Judged { outcome, reason: said, .. } = judge(&criterion, &tested(estimate));
        // Few degrees of freedom widen the interval, so that this bound holds for all.
        let half = 1.644_853 * error;
        if estimate - half < -0.1 || estimate + half > 0.1 {
            prop_assert_ne!(outcome, Outcome::Met, "{}", said);
        }
        if estimate.abs() < 0.1 {
            prop_assert_ne!(outcome, Outcome::Unmet, "{}", said);
        }
        prop_assert_eq!(outcome, judge(&criterion, &tested(-estimate)).outcome);
    }
}
