//! Tests of a report's criteria.

use super::*;
use crate::domain::finding::{Direction, Interval, PValue};
use crate::domain::scale::{RatioKind, Scale};
use crate::domain::verdict::Outcome;

fn finding(estimate: f64, error: f64) -> Finding {
    Finding {
        name: "x".into(),
        estimate: Some(estimate),
        standard_error: Some(error),
        ..Finding::default()
    }
}

fn criteria(original: &Finding, replication: &Finding, scale: &ScaleRelation) -> Criteria {
    let criterion = Criterion::significance("x", Direction::Positive, 0.05, true);
    let decided = RuleDecision {
        criterion: Some(&criterion),
        outcome: Some(Outcome::Met),
        reason: Some("`x` is 0.1, p = 0.012"),
    };
    Criteria::assess(Some(original), Some(replication), scale, None, decided).unwrap()
}

#[test]
fn all_are_shown_and_the_preregistered_one_decides() {
    let found = criteria(&finding(0.25, 0.08), &finding(0.10, 0.04), &ScaleRelation::Same);
    assert_eq!(found.lines.len(), 16);
    let primary: Vec<_> = found.lines.iter().filter(|line| line.primary).collect();
    assert_eq!(
        (primary.len(), primary[0].rule, primary[0].met),
        (1, Rule::SignificanceAndDirection, Some(true))
    );
    assert_eq!(primary[0].sentence, "`x` is 0.1, p = 0.012.");
    let inside = &found.lines[1];
    assert_eq!(inside.met, Some(false), "{inside:?}");
    assert!(found.lines.iter().all(|line| line.sentence.ends_with('.')));
}

#[test]
fn the_deciding_p_is_the_reported_one() {
    // By the normal approximation 0.041, by the run's t test on few degrees of freedom 0.074.
    let with = |relation, value| Finding {
        p_value: Some(PValue { relation, value }),
        ..finding(0.2044, 0.1)
    };
    let original = finding(0.25, 0.08);
    let first = |replication: &Finding| {
        criteria(&original, replication, &ScaleRelation::Same)
            .lines
            .remove(0)
    };
    let exact = first(&with(Relation::Equal, 0.074));
    assert_eq!(
        (exact.rule, exact.value),
        (Rule::SignificanceAndDirection, Some(0.074))
    );
    assert_eq!(first(&with(Relation::Less, 0.1)).value, None);
    assert_eq!(first(&finding(0.2044, 0.1)).value, None);
    // Without a preregistration the criterion's own words are by the same p.
    let open = RuleDecision {
        criterion: None,
        outcome: None,
        reason: None,
    };
    let alone = |replication: &Finding| {
        let all = Criteria::assess(
            Some(&original),
            Some(replication),
            &ScaleRelation::Same,
            None,
            open,
        )
        .unwrap();
        all.lines[0].clone()
    };
    let exact = alone(&with(Relation::Equal, 0.074));
    assert_eq!((exact.value, exact.met), (Some(0.074), Some(false)));
    assert!(
        exact.sentence.contains("with p 0.074 against"),
        "{}",
        exact.sentence
    );
    let bound = alone(&with(Relation::Less, 0.001));
    assert_eq!((bound.value, bound.met), (None, Some(true)));
    assert!(
        bound.sentence.contains("with p < 0.001 against"),
        "{}",
        bound.sentence
    );
    let untold = alone(&with(Relation::Less, 0.1));
    assert_eq!((untold.value, untold.met), (None, None));
    let computed = alone(&finding(0.2044, 0.1));
    assert!((computed.value.unwrap() - 0.041).abs() < 5e-4, "{computed:?}");
}

#[test]
fn another_registered_rule_comes_first_with_its_own_original() {
    let criterion = Criterion {
        rule: Rule::PredictionInterval,
        original: Some(finding(0.25, 0.08)),
        ..Criterion::significance("x", Direction::Positive, 0.05, true)
    };
    let replication = finding(0.10, 0.04);
    let judged = primary::judge(&criterion, &replication);
    let decided = RuleDecision {
        criterion: Some(&criterion),
        outcome: Some(judged.outcome),
        reason: Some(&judged.reason),
    };
    let other = finding(0.5, 0.08);
    let found = Criteria::assess(
        Some(&other),
        Some(&replication),
        &ScaleRelation::Same,
        None,
        decided,
    )
    .unwrap();
    let first = &found.lines[0];
    assert_eq!(
        (found.lines.len(), first.rule, first.primary, first.met),
        (16, Rule::PredictionInterval, true, Some(true))
    );
    assert_eq!(found.lines.iter().filter(|line| line.primary).count(), 1);
    assert!(first.sentence.contains("[0.0747, 0.4253]"), "{}", first.sentence);
    assert!(
        found.notes.iter().any(|note| note.contains("registered 0.25")),
        "{:?}",
        found.notes
    );
}

#[test]
fn a_claim_of_no_effect_is_judged_by_what_asks_for_no_sign() {
    let mut criterion = Criterion {
        rule: Rule::Equivalence,
        ..Criterion::significance("x", ClaimedEffect::NoEffect, 0.05, true)
    };
    criterion.parameters.sesoi = Some(0.1);
    let replication = finding(0.01, 0.03);
    let judged = primary::judge(&criterion, &replication);
    let decided = RuleDecision {
        criterion: Some(&criterion),
        outcome: Some(judged.outcome),
        reason: Some(&judged.reason),
    };
    let original = finding(0.02, 0.05);
    let all = Criteria::assess(
        Some(&original),
        Some(&replication),
        &ScaleRelation::Same,
        None,
        decided,
    )
    .unwrap();
    assert_eq!(
        (all.lines[0].rule, all.lines[0].met),
        (Rule::Equivalence, Some(true))
    );
    for line in &all.lines {
        let asks = line.sentence.contains("has no sign");
        assert_eq!(asks, !line.rule.decides_no_effect(), "{line:?}");
        assert!(!asks || line.met.is_none(), "{line:?}");
    }
    // A paper that prints no figure for its null leaves the replication's own.
    let alone = Criteria::assess(None, Some(&replication), &ScaleRelation::Unknown, None, decided).unwrap();
    let met: Vec<_> = alone
        .lines
        .iter()
        .filter_map(|line| Some((line.rule, line.met?)))
        .collect();
    assert_eq!(met, [(Rule::Equivalence, true)]);
    assert!(alone.lines[1..].iter().any(|line| line.sentence == NO_ORIGINAL));
}

#[test]
fn other_units_are_compared_as_correlations() {
    let with = |estimate, error, df, n| Finding {
        df: Some(df),
        n: Some(n),
        ..finding(estimate, error)
    };
    let scale = ScaleRelation::Different {
        why: "points, euros".into(),
    };
    // The two coefficients of the study duncan-1961.
    let (original, replication) = (
        with(0.599, 0.120, 42.0, 45),
        with(0.001_361, 0.000_224, 99.0, 102),
    );
    let found = criteria(&original, &replication, &scale);
    let undecided: Vec<_> = found.lines.iter().filter(|line| line.met.is_none()).collect();
    let rules: Vec<_> = undecided.iter().map(|line| line.rule).collect();
    // The first lacks a smallest effect of interest, the ratio decides nothing, and two
    // correlations of so few cases are neither told apart nor equivalent.
    assert_eq!(
        rules,
        [Rule::Equivalence, Rule::EffectRatio, Rule::Correspondence]
    );
    assert!(
        undecided[1]
            .value
            .is_some_and(|ratio| (ratio - 0.814_851_110_432_389_6).abs() < 1e-8),
        "{undecided:?}"
    );
    assert!(
        found.notes.iter().any(|note| note.contains("r = .61 (z 0.709")),
        "{:?}",
        found.notes
    );
    assert!(
        found.notes.iter().any(|note| note.contains("power")),
        "{:?}",
        found.notes
    );
    // Nobody says so, and the sizes do.
    let guessed = criteria(&original, &replication, &ScaleRelation::Unknown);
    assert_eq!(guessed.common, found.common);
    // With a smallest effect of interest equivalence decides, too.
    let criterion = Criterion::significance("x", Direction::Positive, 0.05, true);
    let decided = RuleDecision {
        criterion: Some(&criterion),
        outcome: Some(Outcome::Met),
        reason: None,
    };
    let sesoi = Sesoi {
        value: 0.1,
        unit: "r".to_owned(),
        source: "Cohen (1988)".to_owned(),
    };
    let all = Criteria::assess(Some(&original), Some(&replication), &scale, Some(&sesoi), decided).unwrap();
    let line = all
        .lines
        .iter()
        .find(|line| line.rule == Rule::Equivalence)
        .unwrap();
    assert_eq!(line.met, Some(true), "{line:?}");
    assert!(
        all.notes.iter().any(|note| note.contains("Cohen (1988)")),
        "{:?}",
        all.notes
    );
}

#[test]
fn without_a_common_scale_only_what_needs_no_units_is_left() {
    let scale = ScaleRelation::Different {
        why: "points, euros".into(),
    };
    let found = criteria(&finding(0.6, 0.1), &finding(0.001, 0.0002), &scale);
    let decided: Vec<_> = found
        .lines
        .iter()
        .filter(|line| line.met.is_some())
        .map(|line| line.rule)
        .collect();
    assert_eq!(decided, [Rule::SignificanceAndDirection, Rule::SumOfPValues]);
    let sentence = &found.lines[3].sentence;
    assert!(
        sentence.contains("are not in the same units")
            && sentence.contains("cannot be brought to a common scale"),
        "{sentence}"
    );
    let guessed = criteria(
        &finding(0.6, 0.1),
        &finding(0.001, 0.0002),
        &ScaleRelation::Unknown,
    );
    assert_eq!(guessed.lines[3].met, None);
    assert!(
        guessed.lines[3]
            .sentence
            .contains("probably not in the same units")
    );
    let bare = Finding {
        estimate: Some(1.0),
        ..Finding::default()
    };
    let found = criteria(&bare, &finding(1.0, 0.1), &ScaleRelation::Same);
    assert!(found.lines[2].sentence.contains("neither a standard error"));
    assert_eq!(
        Criteria::assess(
            None,
            None,
            &ScaleRelation::Same,
            None,
            RuleDecision {
                criterion: None,
                outcome: None,
                reason: None
            }
        ),
        None
    );
}

/// A study on the original's own observations, by the rule that decides there.
fn on_observations(observations: Option<Observations>, rule: Rule) -> Criteria {
    let figures = |estimate: f64, error: f64, p: f64| Finding {
        p_value: Some(PValue {
            relation: Relation::Equal,
            value: p,
        }),
        n: Some(3010),
        ..finding(estimate, error)
    };
    let (original, replication) = (figures(0.132, 0.055, 0.016), figures(0.0747, 0.0035, 1e-80));
    let criterion = Criterion {
        rule,
        observations,
        original: Some(original.clone()),
        shared_observations: (observations == Some(Observations::PartlySame)).then_some(1200),
        ..Criterion::significance("x", Direction::Positive, 0.05, true)
    };
    let judged = primary::judge(&criterion, &replication);
    let decided = RuleDecision {
        criterion: Some(&criterion),
        outcome: Some(judged.outcome),
        reason: Some(&judged.reason),
    };
    Criteria::assess(
        Some(&original),
        Some(&replication),
        &ScaleRelation::Same,
        None,
        decided,
    )
    .unwrap()
}

#[test]
fn nothing_is_pooled_with_the_same_observations() {
    let found = on_observations(Some(Observations::Same), Rule::NumericalAgreement);
    assert_eq!(found.lines.len(), 17);
    let first = &found.lines[0];
    assert_eq!(
        (first.rule, first.primary, first.met),
        (Rule::NumericalAgreement, true, Some(false))
    );
    assert!(
        first
            .sentence
            .contains("estimate 0.0747 for the printed 0.132: not the claimed number"),
        "{}",
        first.sentence
    );
    for line in &found.lines {
        let refused =
            (line.value, line.interval, line.met) == (None, None, None) && line.sentence == SAME_OBSERVATIONS;
        assert_eq!(refused, line.rule.assumes_independence(), "{line:?}");
    }
    assert_eq!(found.power, None);
    assert!(found.notes.iter().all(|note| !note.contains("power")));
    let agreements: Vec<_> = found
        .quantities
        .iter()
        .map(|one| (one.quantity.name(), one.agreement.name()))
        .collect();
    assert_eq!(
        agreements,
        [
            ("estimate", "not"),
            ("standard error", "not"),
            ("p", "approximate"),
            ("n", "precise")
        ]
    );
    // A plan that registers pooling on them has no verdict.
    let pooled = on_observations(Some(Observations::Same), Rule::MetaAnalytic);
    let first = &pooled.lines[0];
    assert_eq!(
        (first.rule, first.met, first.value),
        (Rule::MetaAnalytic, None, None)
    );
    assert!(first.sentence.contains("same observations"), "{}", first.sentence);
}

#[test]
fn what_takes_independent_samples_is_marked_where_some_are_shared() {
    let found = on_observations(Some(Observations::PartlySame), Rule::SignificanceAndDirection);
    assert_eq!(found.lines.len(), 16);
    for line in &found.lines {
        assert_eq!(
            line.name.ends_with(" *"),
            line.rule.assumes_independence(),
            "{line:?}"
        );
    }
    assert!(
        found.notes[1].starts_with("1200 of the observations are the original's own"),
        "{:?}",
        found.notes
    );
    for new in [None, Some(Observations::New)] {
        let found = on_observations(new, Rule::SignificanceAndDirection);
        assert!(found.lines.len() == 16 && found.quantities.is_empty());
        assert!(
            found.notes.iter().all(|note| !note.contains("original's own")),
            "{:?}",
            found.notes
        );
    }
}

#[test]
fn a_published_ratio_meets_a_logarithm_on_one_scale() {
    let original = Finding {
        estimate: Some(0.45),
        standard_error: None,
        scale: Some(Scale::Ratio),
        interval: Some(Interval {
            lower: 0.28,
            upper: 0.70,
            level: 0.95,
        }),
        ..finding(0.0, 1.0)
    };
    let replication = |ratio| Finding {
        scale: Some(Scale::LogRatio),
        ratio,
        ..finding(-1.64, 0.38)
    };
    let line = |found: &Criteria, rule| found.lines.iter().find(|line| line.rule == rule).unwrap().clone();
    let found = criteria(&original, &replication(None), &ScaleRelation::Unknown);
    let heterogeneity = line(&found, Rule::Heterogeneity);
    assert!(
        heterogeneity.sentence.contains("Q 3.558") && heterogeneity.met == Some(true),
        "{heterogeneity:?}"
    );
    assert_eq!(line(&found, Rule::PredictionInterval).met, Some(true));
    // Power for ln .45 with the error .38: 2.101 standard errors.
    assert!((found.power.unwrap().power - 0.556).abs() < 2e-3);
    let other = Finding {
        ratio: Some(RatioKind::Odds),
        ..original
    };
    let apart = criteria(
        &other,
        &replication(Some(RatioKind::Hazard)),
        &ScaleRelation::Unknown,
    );
    let heterogeneity = line(&apart, Rule::Heterogeneity);
    assert_eq!((heterogeneity.value, heterogeneity.met), (None, None));
    assert!(
        heterogeneity
            .sentence
            .contains("not in the same units: original odds ratio, replication hazard ratio"),
        "{}",
        heterogeneity.sentence
    );
    assert_eq!(apart.power, None);
}
