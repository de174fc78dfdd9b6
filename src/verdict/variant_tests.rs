//! Tests of what is said of variants.

use super::*;
use crate::domain::finding::PValue;
use crate::domain::statistic::{DegreesOfFreedom, Statistic, StatisticKind};

fn criterion(direction: Direction) -> Criterion {
    Criterion::significance("x", direction, 0.05, true)
}

fn finding(estimate: f64, error: f64) -> Finding {
    Finding {
        name: "x".into(),
        estimate: Some(estimate),
        standard_error: Some(error),
        ..Finding::default()
    }
}

fn result(name: &str, criterion: &Criterion, finding: Option<Finding>) -> VariantResult {
    let ruled = finding
        .as_ref()
        .map(|one| ruled(criterion, [std::slice::from_ref(one), &[], &[]]));
    VariantResult {
        name: name.into(),
        changes: "something".into(),
        ended: if finding.is_some() {
            VariantEnd::Ran
        } else {
            VariantEnd::Failed
        },
        why: None,
        outcome: ruled.map(|ruled| ruled.outcome),
        finding,
    }
}

fn summary(criterion: &Criterion, main: Finding, others: &[Option<Finding>]) -> VariantSummary {
    let results: Vec<VariantResult> = (0..)
        .zip(others)
        .map(|(number, other)| result(&format!("v{number}"), criterion, other.clone()))
        .collect();
    let main = ruled(criterion, [&[main], &[], &[]]);
    VariantSummary::new(criterion, &main, &results, &[])
}

#[test]
fn the_share_counts_what_is_as_extreme_in_the_claims_direction() {
    let others = [
        Some(finding(3.0, 0.5)),
        Some(finding(2.0, 0.5)),
        Some(finding(0.2, 0.5)),
        Some(finding(-4.0, 0.5)),
        None,
    ];
    let up = summary(&criterion(Direction::Positive), finding(2.0, 0.5), &others);
    assert_eq!(
        (up.axis, up.main, up.null),
        (VariantAxis::Estimate, Some(2.0), 0.0)
    );
    assert_eq!((up.extreme, up.compared, up.share()), (2, 4, Some(0.5)));
    // Of a claim with the other sign those below count.
    let down = summary(&criterion(Direction::Negative), finding(2.0, 0.5), &others);
    assert_eq!((down.extreme, down.compared), (3, 4));
    // 2 and 3 are met like the main result; 0.2 and -4 are not, and one has no number.
    assert_eq!((up.outcome, up.same_outcome, up.judged), (Outcome::Met, 2, 4));
    assert_eq!(
        up.line(&[]),
        "0 of 0 ran; 2 of 4 at least as extreme as the main result; 2 of 4 with the same outcome by the rule (criterion \
         met); they do not decide"
    );
}

#[test]
fn a_claim_of_no_effect_looks_at_the_distance_from_it() {
    let claim = Criterion {
        direction: ClaimedEffect::NoEffect,
        ..criterion(Direction::Positive)
    };
    let others = [
        Some(finding(-0.05, 0.1)),
        Some(finding(0.3, 0.1)),
        Some(finding(-0.4, 0.1)),
    ];
    let found = summary(&claim, finding(0.1, 0.1), &others);
    assert_eq!((found.extreme, found.compared), (1, 3));
    assert!(found.toward.contains("closer to no effect"));
}

#[test]
fn ratios_are_compared_as_logarithms() {
    let claim = Criterion {
        scale: Some(Scale::Ratio),
        ..criterion(Direction::Negative)
    };
    let found = summary(
        &claim,
        finding(0.5, 0.1),
        &[Some(finding(0.25, 0.1)), Some(finding(1.5, 0.1))],
    );
    assert_eq!((found.axis, found.null), (VariantAxis::LogRatio, 0.0));
    assert_eq!((found.extreme, found.compared), (1, 2));
    assert!((found.values[0].unwrap() - 0.25_f64.ln()).abs() < 1e-12);
}

#[test]
fn other_scales_and_other_terms_stand_side_by_side_as_z() {
    let claim = criterion(Direction::Positive);
    let other_scale = Finding {
        scale: Some(Scale::Standardized),
        ..finding(0.3, 0.1)
    };
    let found = summary(&claim, finding(1000.0, 500.0), &[Some(other_scale)]);
    assert_eq!((found.axis, found.main), (VariantAxis::Z, Some(2.0)));
    assert!((found.values[0].unwrap() - 3.0).abs() < 1e-9);
    let logged = Variant {
        name: "logged".into(),
        focal_term: Some("log x".into()),
        ..Variant::default()
    };
    let own = criterion_of(&logged, &claim);
    assert_eq!((own.focal_term.as_str(), own.alpha), ("log x", 0.05));
    let of_log = Finding {
        name: "log x".into(),
        ..finding(9.0, 4.0)
    };
    let results = [result("logged", &own, Some(of_log))];
    let main = ruled(&claim, [&[finding(2.0, 0.5)], &[], &[]]);
    let found = VariantSummary::new(&claim, &main, &results, &[logged]);
    assert_eq!(
        (found.axis, found.values[0], found.extreme),
        (VariantAxis::Z, Some(2.25), 0)
    );
    // Without an error the p-value tells, with the sign of the estimate.
    let by_p = Finding {
        standard_error: None,
        p_value: Some(PValue {
            relation: Relation::Equal,
            value: 0.05,
        }),
        ..finding(-1.0, 0.0)
    };
    assert!((z(&claim, &by_p).unwrap() + 1.959_964).abs() < 1e-5);
}

#[test]
fn statistics_without_a_sign_are_compared_by_size() {
    let claim = Criterion {
        scale: Some(Scale::Unsigned),
        greater: vec!["a".into(), "b".into()],
        ..criterion(Direction::Positive)
    };
    let f = |value: f64, second: f64| Finding {
        name: "x".into(),
        statistic: Some(Statistic {
            kind: StatisticKind::parse("F"),
            value,
            df: DegreesOfFreedom(vec![2.0, second]),
        }),
        p_value: Some(PValue {
            relation: Relation::Equal,
            value: 0.01,
        }),
        ..Finding::default()
    };
    let main = || RuleResult {
        outcome: Outcome::Met,
        finding: Some(f(5.0, 60.0)),
        reason: String::new(),
    };
    let of = |others: &[Finding]| {
        let results: Vec<VariantResult> = others
            .iter()
            .map(|one| VariantResult {
                finding: Some(one.clone()),
                ..result("v", &claim, None)
            })
            .collect();
        VariantSummary::new(&claim, &main(), &results, &[])
    };
    let found = of(&[f(6.0, 60.0), f(4.0, 60.0)]);
    assert_eq!(
        (found.axis, found.extreme, found.compared),
        (VariantAxis::Statistic, 1, 2)
    );
    // Other degrees of freedom: by the p-values.
    let found = of(&[f(6.0, 30.0)]);
    assert_eq!((found.axis, found.extreme), (VariantAxis::Z, 1));
}

#[test]
fn code_that_does_not_look_at_its_variant_is_noticed() {
    let claim = criterion(Direction::Positive);
    let same = [Some(finding(2.0, 0.5)), Some(finding(2.0, 0.5))];
    assert!(summary(&claim, finding(2.0, 0.5), &same).all_the_same);
    let other = [Some(finding(2.0, 0.5)), Some(finding(2.01, 0.5))];
    assert!(!summary(&claim, finding(2.0, 0.5), &other).all_the_same);
    assert!(!summary(&claim, finding(2.0, 0.5), &[None]).all_the_same);
    // Other errors, and another subset whose estimate happens to be the same.
    assert!(!summary(&claim, finding(2.0, 0.5), &[Some(finding(2.0, 0.7))]).all_the_same);
    let subset = Finding {
        n: Some(40),
        ..finding(2.0, 0.5)
    };
    assert!(!summary(&claim, finding(2.0, 0.5), &[Some(subset)]).all_the_same);
}

#[test]
fn without_a_main_number_nothing_is_compared() {
    let claim = criterion(Direction::Positive);
    let main = ruled(&claim, [&[], &[], &[]]);
    let results = [result("v", &claim, Some(finding(1.0, 0.1)))];
    let found = VariantSummary::new(&claim, &main, &results, &[]);
    assert_eq!((found.compared, found.share(), found.main), (0, None, None));
    assert_eq!((found.judged, found.same_outcome), (1, 0));
}
