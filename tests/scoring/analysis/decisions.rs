//! Figures of criteria, and their decisions.

use proptest::prelude::*;
use reprise::domain::criterion::{Criterion, CriterionDifference, FixedCriterion};
use reprise::domain::finding::{Direction, Finding, PValue, Relation};
use reprise::domain::rule::Rule;
use reprise::domain::verdict::Outcome;
use reprise::verdict::criteria::assess::apply;
use reprise::verdict::criteria::assessment::Assessment;
use reprise::verdict::criteria::primary::judge;
use reprise::verdict::criteria::study::{StudyEstimate, StudyPair};

fn pair(original: (f64, f64), replication: (f64, f64)) -> StudyPair {
    let study = |(estimate, error)| StudyEstimate::new(estimate, error, None).unwrap();
    StudyPair {
        sesoi: Some(0.1),
        ..StudyPair::new(study(original), study(replication))
    }
}

/// The decision that a criterion's own figures give at the published levels.
fn published(rule: Rule, pair: &StudyPair, found: &Assessment) -> Option<bool> {
    let Some(value) = found.value else {
        // Neither n nor degrees of freedom.
        return None;
    };
    let same = (pair.original.estimate > 0.0) == (pair.replication.estimate > 0.0);
    let interval = || found.interval.unwrap();
    match rule {
        Rule::SignificanceAndDirection => Some(value < 0.05 && same),
        Rule::OriginalInReplicationInterval
        | Rule::ReplicationInOriginalInterval
        | Rule::PredictionInterval => Some((interval().lower..=interval().upper).contains(&value)),
        Rule::Heterogeneity => Some(value >= 0.05),
        Rule::SmallTelescopes => Some(value >= 0.05),
        Rule::ScepticalP | Rule::GoldenScepticalP => Some(value <= 0.025),
        Rule::SumOfPValues => Some(value < 0.025 * std::f64::consts::SQRT_2),
        Rule::ReplicationBayesFactor if value > 3.0 => Some(same),
        Rule::ReplicationBayesFactor => (value < 1.0 / 3.0).then_some(false),
        Rule::Equivalence if value < 0.05 => Some(false),
        // The bound of the one-sided test at .05 above the smallest effect of interest.
        Rule::Equivalence => {
            let oriented = pair.replication.estimate * pair.original.estimate.signum();
            let bound = oriented - 1.644_853_626_951_472_7 * pair.replication.standard_error;
            (bound > 0.1).then_some(true)
        }
        Rule::MetaAnalytic => {
            let pooled = f64::midpoint(interval().lower, interval().upper);
            Some(value < 0.05 && (pooled > 0.0) == (pair.original.estimate > 0.0))
        }
        Rule::EffectRatio => None,
        Rule::NumericalAgreement => {
            let off = (value - pair.original.estimate).abs();
            Some(off <= 0.15 * pair.original.estimate.abs() * (1.0 + 1e-12))
        }
        Rule::Correspondence | Rule::DefaultBayesFactor | Rule::ModelAveragedBayesFactor => unreachable!(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn a_decision_follows_from_the_figures_beside_it(
        original in (-1.0_f64..1.0, 0.02_f64..0.6),
        replication in (-1.0_f64..1.0, 0.02_f64..0.6),
    ) {
        let pair = pair(original, replication);
        for rule in Rule::all() {
            let found = apply(rule, &pair);
            prop_assert_eq!(found.decision, published(rule, &pair, &found), "{:?}", found);
        }
    }

    /// A replication with the opposite sign is as far from convincing a sceptic
    /// as the mirrored one is near it.
    #[test]
    fn the_sceptical_p_of_a_mirrored_replication_is_the_rest_to_one(
        original in (0.05_f64..1.0, 0.02_f64..0.6),
        replication in (0.05_f64..1.0, 0.02_f64..0.6),
    ) {
        let mirrored = pair(original, (-replication.0, replication.1));
        let values = [pair(original, replication), mirrored].map(|pair| {
            apply(Rule::ScepticalP, &pair).value.unwrap()
        });
        prop_assert!((values[0] + values[1] - 1.0).abs() < 1e-12, "{:?}", values);
    }
}

#[test]
fn a_significant_effect_against_the_claim_meets_no_rule_of_direction() {
    let against = pair((0.25, 0.08), (-0.40, 0.05));
    for rule in [
        Rule::SignificanceAndDirection,
        Rule::MetaAnalytic,
        Rule::ScepticalP,
        Rule::SmallTelescopes,
        Rule::SumOfPValues,
        Rule::GoldenScepticalP,
        Rule::ReplicationBayesFactor,
    ] {
        let found = apply(rule, &against);
        assert_eq!(found.decision, Some(false), "{}", found.sentence);
    }
    for rule in [Rule::SignificanceAndDirection, Rule::MetaAnalytic] {
        let words = |pair: &StudyPair| apply(rule, pair).sentence;
        assert!(
            words(&against).contains("not the same sign"),
            "{}",
            words(&against)
        );
        let along = words(&pair((0.25, 0.08), (0.40, 0.05)));
        assert!(
            along.contains("has the same sign") || along.contains("with the same sign"),
            "{along}"
        );
    }
}

#[test]
fn a_negative_claim_is_held_against_its_own_direction() {
    let mut criterion = Criterion {
        rule: Rule::Equivalence,
        ..Criterion::significance("income", Direction::Negative, 0.05, true)
    };
    criterion.parameters.sesoi = Some(0.1);
    let outcome = |estimate: f64| {
        let finding = Finding {
            estimate: Some(estimate),
            standard_error: Some(0.03),
            ..Finding::default()
        };
        judge(&criterion, &finding).outcome
    };
    let found = [-0.25, -0.01, 0.25].map(outcome);
    assert_eq!(found, [Outcome::Met, Outcome::Unmet, Outcome::Inconclusive]);
}

#[test]
fn a_bound_of_p_is_no_value_and_an_impossible_p_is_none() {
    let finding = |relation, value| Finding {
        name: "income".into(),
        estimate: Some(0.25),
        standard_error: Some(0.08),
        p_value: Some(PValue { relation, value }),
        ..Finding::default()
    };
    let of = |p: Finding| {
        let (pair, _) = StudyPair::from_findings(&finding(Relation::Equal, 0.002), &p).unwrap();
        apply(Rule::SignificanceAndDirection, &pair)
    };
    let bound = of(finding(Relation::Less, 0.01));
    assert_eq!((bound.value, bound.decision), (None, Some(true)));
    assert!(bound.sentence.contains("p < 0.01 against"), "{}", bound.sentence);
    // A p above 1 is passed over for the one that estimate and error give.
    let impossible = of(finding(Relation::Equal, 1.7));
    assert_eq!(impossible.decision, Some(true), "{}", impossible.sentence);
    assert!(impossible.value.unwrap() < 0.002);
}

#[test]
fn intervals_are_shown_with_their_own_level() {
    let equivalence = apply(Rule::Equivalence, &pair((0.25, 0.08), (0.10, 0.04)))
        .interval
        .unwrap();
    let shown = [equivalence.lower, equivalence.upper, equivalence.level];
    assert_eq!(shown, [-0.1, 0.1, 0.9]);
    let ratio = apply(Rule::EffectRatio, &pair((0.25, 0.08), (0.10, 0.04))).sentence;
    assert!(ratio.contains("times the original's, 95 % interval ["), "{ratio}");
}

#[test]
fn whatever_a_study_fixes_is_named_where_a_plan_departs_from_it() {
    let plan = Criterion::significance("income", Direction::Positive, 0.05, true);
    let mut fixed = FixedCriterion {
        alpha: Some(0.05),
        two_sided: Some(true),
        ..FixedCriterion::default()
    };
    assert_eq!(fixed.differences(&plan), []);
    fixed.alpha = Some(0.01);
    fixed.two_sided = Some(false);
    fixed.parameters.unit = " log odds ".into();
    let own = |part, fixed: &str, given: &str| CriterionDifference {
        part,
        fixed: fixed.to_owned(),
        given: given.to_owned(),
    };
    assert_eq!(
        fixed.differences(&plan),
        [
            own("alpha", "0.01", "0.05"),
            own("two_sided", "false", "true"),
            own("unit", "log odds", ""),
        ]
    );
    let mut agreed = Criterion {
        alpha: 0.01,
        two_sided: false,
        ..plan
    };
    agreed.parameters.unit = "Log Odds".into();
    assert_eq!(fixed.differences(&agreed), []);
}

#[test]
fn the_reason_of_a_verdict_says_what_its_numbers_say() {
    let words = |estimate: f64, p: f64, two_sided: bool| {
        let finding = Finding {
            estimate: Some(estimate),
            p_value: Some(PValue {
                relation: Relation::Equal,
                value: p,
            }),
            sides: Some(2),
            ..Finding::default()
        };
        judge(
            &Criterion::significance("income", Direction::Positive, 0.05, two_sided),
            &finding,
        )
    };
    for (estimate, p, two_sided, outcome, parts) in [
        (
            0.5,
            0.08,
            true,
            Outcome::Unmet,
            ["which has the", "not below 0.05", "(two-sided)"],
        ),
        (
            0.5,
            0.08,
            false,
            Outcome::Met,
            ["which has the", "0.08, below 0.05", "(one-sided)"],
        ),
        // Halved, .104 is above the level.
        (
            0.5,
            0.104,
            false,
            Outcome::Unmet,
            ["which has the", "not below 0.05", "(one-sided)"],
        ),
        (
            -0.5,
            0.01,
            true,
            Outcome::Unmet,
            ["does not have the", "0.01, below 0.05", "(two-sided)"],
        ),
        (
            0.5,
            1.2,
            true,
            Outcome::Inconclusive,
            ["is 0.5", "no p-value", "reported"],
        ),
    ] {
        let judged = words(estimate, p, two_sided);
        let reason = judged.reason;
        assert_eq!(judged.outcome, outcome, "{reason}");
        assert!(parts.iter().all(|part| reason.contains(part)), "{reason}");
    }
}

/// Replications just on either side of a published level; scipy gives the values.
#[test]
fn the_published_levels_are_where_they_were_published() {
    let decision = |rule, estimate| apply(rule, &pair((0.25, 0.08), (estimate, 0.04)));
    for (rule, estimate, value, met) in [
        (Rule::ReplicationBayesFactor, 0.102_575_268, 3.08, Some(true)),
        (Rule::ReplicationBayesFactor, 0.102_051_957, 2.95, None),
        (Rule::ReplicationBayesFactor, 0.073_231_003, 0.338_98, None),
        (Rule::ReplicationBayesFactor, 0.072_738_898, 0.327_87, Some(false)),
        (Rule::ScepticalP, 0.150_649_237, 0.0243, Some(true)),
        (Rule::ScepticalP, 0.146_670_029, 0.0257, Some(false)),
    ] {
        let found = decision(rule, estimate);
        assert!(
            (found.value.unwrap() / value - 1.0).abs() < 1e-3,
            "{}",
            found.sentence
        );
        assert_eq!(found.decision, met, "{}", found.sentence);
    }
}

#[test]
fn an_original_of_zero_has_no_direction_to_agree_with() {
    let none = pair((0.0, 0.08), (0.3, 0.04));
    for rule in [
        Rule::SignificanceAndDirection,
        Rule::SmallTelescopes,
        Rule::ScepticalP,
        Rule::MetaAnalytic,
        Rule::EffectRatio,
    ] {
        let found = apply(rule, &none);
        assert_eq!((found.value, found.decision), (None, None), "{rule}");
        assert!(found.sentence.contains("has no direction"), "{}", found.sentence);
    }
}
