use super::*;
use crate::domain::statistic::{DegreesOfFreedom, Statistic, StatisticKind};

use Agreement::{Approximate, Not, Precise};

fn number_for(printed: &str, found: f64) -> Option<Agreement> {
    of_number(&WrittenNumber::parse(printed, NumberForm::Plain).unwrap(), found)
}

fn p_for(relation: Relation, printed: &str, found: f64) -> Option<Agreement> {
    let found = PValue {
        relation: Relation::Equal,
        value: found,
    };
    of_p(
        relation,
        &WrittenNumber::parse(printed, NumberForm::Plain).unwrap(),
        found,
    )
}

#[test]
fn equal_after_rounding_within_a_share_or_not() {
    for (printed, found, expected) in [
        (".132", 0.1315, Precise),
        // Half a digit is rounded either way.
        (".132", 0.1325, Precise),
        (".132", 0.13151, Precise),
        (".132", 0.1314, Approximate),
        (".132", 0.0747, Not),
        (".132", -0.132, Not),
        // A zero that is printed is a digit.
        ("0.130", 0.1346, Approximate),
        ("0.13", 0.1346, Precise),
        // Both ends of 15 % are included: 17 and 23.
        ("20", 17.0, Approximate),
        ("20", 23.0, Approximate),
        ("20", 23.4, Approximate),
        ("20", 24.0, Not),
        ("-20", -17.0, Approximate),
        ("-20", -16.0, Not),
        // 1.05 is a little more than it says and rounds to 1.1, which is above 1.02.
        ("1.2", 1.05, Approximate),
        // Nothing is within a share of zero, and a printed zero has its digits.
        ("0", 0.4, Precise),
        ("0.00", 0.004, Precise),
        ("0.00", -0.004, Precise),
        ("0.00", 0.006, Not),
        ("-0.00", 0.0, Precise),
        ("3.1e-5", 3.14e-5, Precise),
        ("1.00e300", 1.1e300, Approximate),
        ("1e-300", 1e-300, Precise),
        ("34000", 34000.4, Precise),
        ("34000", 34400.0, Approximate),
    ] {
        assert_eq!(
            number_for(printed, found),
            Some(expected),
            "{found} for {printed}"
        );
    }
    for found in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert_eq!(number_for("1", found), None);
    }
}

#[test]
fn counts_are_exact_or_within_rounded_ends() {
    // .85 × 10 = 8.5 and 1.15 × 10 = 11.5, rounded to the even: 8 and 12.
    for (printed, found, expected) in [
        (3010.0, 3010.0, Precise),
        (3010.0, 3009.0, Approximate),
        (10.0, 8.0, Approximate),
        (10.0, 12.0, Approximate),
        (10.0, 7.0, Not),
        (0.0, 0.0, Precise),
        (0.0, 1.0, Not),
    ] {
        assert_eq!(of_count(printed, found), Some(expected), "{found} for {printed}");
    }
    assert_eq!(of_count(f64::NAN, 3.0), None);
}

#[test]
fn p_values_go_by_their_relation() {
    use Relation::{Equal, Greater, Less};
    for (relation, printed, found, expected) in [
        (Equal, ".03", 0.034, Precise),
        (Equal, ".03", 0.08, Approximate),
        (Equal, ".03", 0.09, Not),
        (Equal, "0.000", 0.0004, Precise),
        (Equal, "5.7e-19", 0.0, Precise),
        (Equal, "1e-9", 0.0, Approximate),
        (Less, ".05", 0.049_999, Precise),
        (Less, ".05", 0.05, Approximate),
        (Less, ".05", 0.1, Approximate),
        (Less, ".05", 0.101, Not),
        (Greater, ".05", 0.06, Precise),
        (Greater, ".10", 0.05, Approximate),
        (Greater, ".10", 0.04, Not),
    ] {
        let agreement = p_for(relation, printed, found);
        assert_eq!(agreement, Some(expected), "{found} for {relation:?} {printed}");
    }
    assert_eq!(p_for(Equal, ".03", 1.2), None);
    assert_eq!(p_for(Equal, ".03", f64::NAN), None);
    let bound = |relation, value| {
        of_p(
            Less,
            &WrittenNumber::parse(".01", NumberForm::Plain).unwrap(),
            PValue { relation, value },
        )
    };
    assert_eq!(bound(Less, 0.001), Some(Precise));
    assert_eq!(bound(Less, 0.05), None, "it may be on either side");
    assert_eq!(bound(Greater, 0.001), None);
}

fn claimed() -> Finding {
    Finding {
        name: "educ".to_owned(),
        estimate: Some(0.132),
        standard_error: Some(0.055),
        p_value: Some(PValue {
            relation: Relation::Less,
            value: 0.05,
        }),
        n: Some(3010),
        ..Finding::default()
    }
}

#[test]
fn another_estimator_on_the_same_men_is_not_the_claimed_number() {
    let with = |estimate: f64, error: f64, p: f64| Finding {
        estimate: Some(estimate),
        standard_error: Some(error),
        p_value: Some(PValue {
            relation: Relation::Equal,
            value: p,
        }),
        n: Some(3010),
        ..Finding::default()
    };
    let ordinary = ResultAgreement::compare(&claimed(), &with(0.0747, 0.0035, 1e-80)).unwrap();
    assert_eq!(
        (
            ordinary.overall,
            ordinary.of(Quantity::Estimate),
            ordinary.of(Quantity::SampleSize)
        ),
        (Not, Some(Not), Some(Precise))
    );
    assert_eq!((ordinary.same_sign, ordinary.same_side), (Some(true), Some(true)));
    assert!(
        ordinary
            .clause()
            .starts_with("estimate 0.0747 for the printed 0.132: not the claimed number; standard error"),
        "{}",
        ordinary.clause()
    );
    let instrumented = ResultAgreement::compare(&claimed(), &with(0.1315, 0.054_96, 0.0167)).unwrap();
    assert_eq!(instrumented.overall, Precise);
    assert!(instrumented.clause().contains("same to the printed digits"));
}

#[test]
fn only_what_measures_the_same_is_compared() {
    let statistic = |kind, value| {
        Some(Statistic {
            kind,
            value,
            df: DegreesOfFreedom(vec![40.0]),
        })
    };
    let printed = Finding {
        statistic: statistic(StatisticKind::T, 2.1),
        sides: Some(1),
        interval: Some(Interval {
            lower: 0.1,
            upper: 0.4,
            level: 0.9,
        }),
        ..claimed()
    };
    let found = Finding {
        statistic: statistic(StatisticKind::F, 4.41),
        sides: Some(2),
        estimate: None,
        standard_error: None,
        n: None,
        interval: Some(Interval {
            lower: 0.1,
            upper: 0.4,
            level: 0.95,
        }),
        ..claimed()
    };
    assert_eq!(ResultAgreement::compare(&printed, &found), None);
    assert_eq!(
        ResultAgreement::compare(&Finding::default(), &Finding::default()),
        None
    );
}

#[test]
fn a_logarithm_is_compared_with_a_printed_ratio_as_a_ratio() {
    let ratio = Finding {
        estimate: Some(0.45),
        scale: Some(Scale::Ratio),
        interval: Some(Interval {
            lower: 0.28,
            upper: 0.70,
            level: 0.95,
        }),
        ..Finding::default()
    };
    let logarithm = |estimate: f64| Finding {
        estimate: Some(estimate),
        standard_error: Some(0.234),
        scale: Some(Scale::LogRatio),
        ..Finding::default()
    };
    let same = ResultAgreement::compare(&ratio, &logarithm(0.4496_f64.ln())).unwrap();
    assert_eq!((same.overall, same.same_sign), (Precise, Some(true)));
    let other = ResultAgreement::compare(&ratio, &logarithm(0.8)).unwrap();
    assert_eq!((other.overall, other.same_sign), (Not, Some(false)));
}
