//! Each criterion as the one that a plan registers.

use proptest::prelude::*;
use reprise::catalog::artifacts::criterion::{disagreement, faults};
use reprise::domain::criterion::{Criterion, FixedCriterion};
use reprise::domain::finding::{Direction, Finding, Interval, PValue, Relation};
use reprise::domain::rule::Rule;
use reprise::domain::verdict::Outcome;
use reprise::verdict::criteria::primary::judge;
use reprise::verdict::judged::Judged;

fn finding(estimate: f64, error: f64) -> Finding {
    Finding {
        name: "income".into(),
        estimate: Some(estimate),
        standard_error: Some(error),
        ..Finding::default()
    }
}

/// A finding with the p-value that a normal test gives it.
fn tested(estimate: f64, error: f64, p: f64) -> Finding {
    Finding {
        p_value: Some(PValue {
            relation: Relation::Equal,
            value: p,
        }),
        ..finding(estimate, error)
    }
}

/// A finding with the size of its sample, where the rule needs one.
fn sized(rule: Rule, finding: Finding, n: u64) -> Finding {
    let asks = rule.compares_correlations() || rule == Rule::DefaultBayesFactor;
    Finding {
        n: asks.then_some(n),
        df: asks.then_some(n as f64 - 2.0),
        ..finding
    }
}

/// A rule with the original of the published vectors, and the numbers that it
/// cannot do without.
fn registered(rule: Rule) -> Criterion {
    let mut criterion = Criterion {
        rule,
        original: Some(sized(rule, finding(0.25, 0.08), 152)),
        reason: "the claim asks for it".into(),
        ..Criterion::significance("income", Direction::Positive, 0.05, true)
    };
    criterion.parameters.unit = "r".into();
    criterion.parameters.sesoi = (rule == Rule::Equivalence).then_some(0.1);
    criterion.parameters.least_ratio = (rule == Rule::EffectRatio).then_some(0.3);
    criterion
}

#[test]
fn each_is_met_not_met_and_left_open() {
    let success = tested(0.20, 0.05, 6.3e-5);
    let miss = tested(-0.02, 0.03, 0.505);
    let bare = Finding {
        standard_error: None,
        ..finding(0.20, 0.05)
    };
    // Numerical agreement needs no precision, and has tests of its own.
    for rule in Rule::all().filter(|rule| *rule != Rule::NumericalAgreement) {
        let criterion = registered(rule);
        assert_eq!(faults(&criterion), [], "{rule}");
        let Judged {
            outcome: met,
            reason: words,
            ..
        } = judge(&criterion, &sized(rule, success.clone(), 252));
        assert_eq!(met, Outcome::Met, "{rule}: {words}");
        let Judged {
            outcome: unmet,
            reason: words,
            ..
        } = judge(&criterion, &sized(rule, miss.clone(), 1102));
        assert_eq!(unmet, Outcome::Unmet, "{rule}: {words}");
        let Judged {
            outcome: open,
            reason: words,
            ..
        } = judge(&criterion, &bare);
        assert_eq!(open, Outcome::Inconclusive, "{rule}: {words}");
        let missing = words.contains("neither a standard error") || words.contains("no p-value");
        assert!(missing, "{rule}: {words}");
        let Judged {
            outcome: open,
            reason: words,
            ..
        } = judge(&criterion, &Finding::default());
        assert_eq!(open, Outcome::Inconclusive, "{rule}: {words}");
        assert!(words.contains("no estimate of `income`"), "{rule}: {words}");
    }
}

/// The first pair of the published vectors, on which the criteria disagree.
#[test]
fn the_rule_that_is_registered_decides_and_no_other() {
    use Outcome::{Inconclusive, Met, Unmet};
    let replication = tested(0.10, 0.04, 0.0124);
    for (rule, outcome, number) in [
        (Rule::SignificanceAndDirection, Met, "0.0124"),
        (Rule::OriginalInReplicationInterval, Unmet, "0.25"),
        (Rule::ReplicationInOriginalInterval, Met, "0.1"),
        (Rule::PredictionInterval, Met, "[0.0747, 0.4253]"),
        (Rule::Heterogeneity, Met, "p 0.09"),
        (Rule::SmallTelescopes, Met, "p 0.28"),
        (Rule::ScepticalP, Unmet, "0.05"),
        (Rule::ReplicationBayesFactor, Inconclusive, "2.49"),
        (Rule::Equivalence, Inconclusive, "0.1"),
        (Rule::MetaAnalytic, Met, "0.13"),
        (Rule::EffectRatio, Inconclusive, "0.4"),
        (Rule::SumOfPValues, Met, "0.007"),
        (Rule::GoldenScepticalP, Met, "0.0206"),
        (Rule::Correspondence, Inconclusive, "neither is shown"),
        (Rule::DefaultBayesFactor, Inconclusive, "t 2.5 on 650"),
        (Rule::ModelAveragedBayesFactor, Met, "common effect, 0.1"),
    ] {
        let replication = sized(rule, replication.clone(), 652);
        let Judged {
            outcome: found,
            reason: words,
            ..
        } = judge(&registered(rule), &replication);
        assert_eq!(found, outcome, "{rule}: {words}");
        assert!(words.contains(number), "{rule}: {words}");
        assert!(
            !words.ends_with('.') && !words.starts_with(char::is_uppercase),
            "{words}"
        );
    }
}

#[test]
fn the_numbers_that_are_registered_count() {
    let replication = tested(0.10, 0.04, 0.0124);
    type Change = fn(&mut Criterion);
    let cases: [(Rule, Change, Outcome); 10] = [
        (
            Rule::ReplicationBayesFactor,
            |one| one.parameters.bayes_factor = Some(2.0),
            Outcome::Met,
        ),
        (
            Rule::ReplicationInOriginalInterval,
            |one| one.parameters.level = Some(0.8),
            Outcome::Unmet,
        ),
        (
            Rule::SmallTelescopes,
            |one| one.parameters.power = Some(0.9),
            Outcome::Unmet,
        ),
        (Rule::ScepticalP, |one| one.alpha = 0.2, Outcome::Met),
        (Rule::Heterogeneity, |one| one.alpha = 0.1, Outcome::Unmet),
        (
            Rule::Equivalence,
            |one| one.parameters.sesoi = Some(0.2),
            Outcome::Unmet,
        ),
        (
            Rule::EffectRatio,
            |one| one.parameters.least_ratio = Some(0.05),
            Outcome::Met,
        ),
        (Rule::GoldenScepticalP, |one| one.alpha = 0.02, Outcome::Unmet),
        (
            Rule::Correspondence,
            |one| one.parameters.threshold = Some(0.4),
            Outcome::Met,
        ),
        (
            Rule::DefaultBayesFactor,
            |one| one.parameters.bayes_factor = Some(1.01),
            Outcome::Unmet,
        ),
    ];
    for (rule, change, outcome) in cases {
        let mut criterion = registered(rule);
        let replication = sized(rule, replication.clone(), 652);
        let before = judge(&criterion, &replication).outcome;
        change(&mut criterion);
        assert_eq!(faults(&criterion), [], "{rule}");
        let Judged {
            outcome: after,
            reason: words,
            ..
        } = judge(&criterion, &replication);
        assert_eq!(after, outcome, "{rule}: {words}");
        assert_ne!(before, after, "{rule}");
    }
}

#[test]
fn a_rule_that_cannot_be_computed_is_refused_at_registration() {
    // Numerical agreement needs no precision, and has tests of its own.
    for rule in Rule::all().filter(|rule| *rule != Rule::NumericalAgreement) {
        let mut criterion = registered(rule);
        criterion.original = None;
        let told = |criterion: &Criterion| -> String {
            let faults = faults(criterion);
            faults.iter().map(ToString::to_string).collect()
        };
        let asks = told(&criterion).contains("computed from the original's estimate");
        assert_eq!(asks, rule.needs_original(), "{rule}");
        criterion.original = Some(Finding {
            standard_error: None,
            ..finding(0.25, 0.08)
        });
        let asks = told(&criterion).contains("standard error, or its confidence interval");
        assert_eq!(asks, rule.needs_original(), "{rule}");
        criterion.original = Some(finding(-0.25, 0.08));
        let asks = told(&criterion).contains("does not have the positive sign");
        assert_eq!(asks, rule.needs_original() && rule.has_direction(), "{rule}");
        criterion = registered(rule);
        criterion.parameters.unit = " ".into();
        assert_eq!(told(&criterion).contains("unit"), !rule.is_default(), "{rule}");
        criterion = registered(rule);
        criterion.two_sided = false;
        let asks = told(&criterion).contains("has two sides");
        assert_eq!(asks, !rule.has_direction(), "{rule}");
        criterion.alpha = 0.5;
        assert!(told(&criterion).contains("0.5 is not usable"), "{rule}");
    }
    let mut ratio = registered(Rule::EffectRatio);
    ratio.original = Some(finding(0.25, 0.2));
    assert!(faults(&ratio)[0].problem.contains("could never decide"));
    let mut telescopes = registered(Rule::SmallTelescopes);
    telescopes.parameters.power = Some(0.02);
    assert!(
        faults(&telescopes)[0]
            .problem
            .contains("not above half the level")
    );
}

#[test]
fn a_plan_departs_from_what_the_study_fixes_with_a_reason_only() {
    let fixed: FixedCriterion = serde_json::from_value(serde_json::json!({
        "rule": "prediction_interval", "level": 0.9, "alpha": 0.05
    }))
    .unwrap();
    let mut plan = registered(Rule::PredictionInterval);
    plan.reason.clear();
    plan.parameters.level = Some(0.9);
    assert_eq!(disagreement(&plan, Some(&fixed)), None);
    plan.parameters.level = Some(0.95);
    let told = disagreement(&plan, Some(&fixed)).unwrap().to_string();
    assert!(
        told.contains("`level` 0.9, not 0.95") && told.contains("/criterion/reason"),
        "{told}"
    );
    plan.reason = "The paper's own interval has 95 %.".into();
    assert_eq!(disagreement(&plan, Some(&fixed)), None);
    plan.reason.clear();
    let told = disagreement(&plan, None).unwrap().to_string();
    assert!(told.contains("significance_and_direction"), "{told}");
    let plain = Criterion::significance("income", Direction::Positive, 0.05, true);
    assert_eq!(disagreement(&plain, None), None);
    assert!(disagreement(&plain, Some(&fixed)).is_some());
}

fn original() -> impl Strategy<Value = Finding> {
    let error = proptest::option::of(-1.0..2.0);
    let interval = proptest::option::of((-3.0..3.0, -3.0..3.0, -0.2..1.2));
    let p = proptest::option::of((any::<bool>(), -0.1..1.1));
    let n = proptest::option::of(5_u64..2000);
    (-3.0..3.0, error, interval, p, n).prop_map(|(estimate, error, interval, p, n)| Finding {
        n,
        estimate: Some(estimate),
        standard_error: error,
        interval: interval.map(|(lower, upper, level)| Interval { lower, upper, level }),
        p_value: p.map(|(exact, value)| PValue {
            relation: if exact { Relation::Equal } else { Relation::Less },
            value,
        }),
        ..Finding::default()
    })
}

proptest! {
    /// What registration lets pass never turns out at the end to lack something
    /// of the original.
    #[test]
    fn what_is_registered_can_be_computed(
        original in original(),
        rule in proptest::sample::select(Rule::all().collect::<Vec<_>>()),
        estimate in -3.0..3.0,
        error in 0.01..2.0,
    ) {
        let mut criterion = registered(rule);
        criterion.direction = Direction::from_value(original.estimate.unwrap())
            .unwrap_or(Direction::Positive)
            .into();
        criterion.original = Some(original);
        prop_assume!(faults(&criterion).is_empty());
        let Judged { outcome, reason: words, .. } = judge(&criterion, &sized(rule, tested(estimate, error, 0.03), 200));
        let may_be_open = [
            Rule::ReplicationBayesFactor,
            Rule::Equivalence,
            Rule::EffectRatio,
            Rule::Correspondence,
            Rule::DefaultBayesFactor,
            Rule::ModelAveragedBayesFactor,
        ];
        prop_assert!(outcome != Outcome::Inconclusive || may_be_open.contains(&rule), "{rule}: {words}");
        let lacks = ["cannot be computed", "unbounded", "too extreme", "does not apply", "NaN"];
        prop_assert!(!lacks.iter().any(|one| words.contains(one)), "{rule}: {words}");
    }
}
