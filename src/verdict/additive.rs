//! An effect on a scale on which differences count: ratios are logged, and the
//! value of no effect is zero.

use crate::domain::doubt::{Doubt, DoubtCause};
use crate::domain::finding::{Finding, Interval};
use crate::domain::scale::Scale;
use crate::domain::statistic::StatisticKind;
use crate::statistics::precision::{FindingPrecision as _, is_midpoint};

/// A finding with its estimate measured from the value of no effect.
///
/// The standard error of a ratio may be its own or that of its logarithm: which
/// one follows from the interval, the statistic or the p-value, and where none of
/// them is given it is left out. Where none is given, it is that of the interval if
/// the ratio is its geometric middle. A p-value and a statistic test the scale's own
/// null, and are left out where another one was registered.
///
/// # Errors
/// A ratio that is not above zero.
pub fn additive(finding: &Finding, scale: Scale, null: Option<f64>) -> Result<Finding, Doubt> {
    let own = null.is_none_or(|null| null == scale.null());
    let null = null.unwrap_or_else(|| scale.null());
    let mut moved = if scale == Scale::Ratio {
        logged(finding, null)?
    } else {
        let shift = |value: f64| value - null;
        Finding {
            estimate: finding.estimate.map(shift),
            interval: finding.interval.map(|interval| Interval {
                lower: shift(interval.lower),
                upper: shift(interval.upper),
                ..interval
            }),
            ..finding.clone()
        }
    };
    if !own {
        moved.p_value = None;
        moved.statistic = None;
        moved.sides = None;
        moved.alternative = None;
        moved.adjusted = None;
    }
    Ok(moved)
}

fn logged(finding: &Finding, null: f64) -> Result<Finding, Doubt> {
    if let Some(estimate) = finding.estimate.filter(|estimate| *estimate <= 0.0) {
        return Err(Doubt::deciding(
            DoubtCause::Scale,
            format!("`{}` is {estimate}, and a ratio is above zero.", finding.name),
        ));
    }
    let log = |value: f64| value.ln() - null.ln();
    let interval = finding
        .interval
        .filter(|interval| interval.lower > 0.0)
        .map(|interval| Interval {
            lower: log(interval.lower),
            upper: log(interval.upper),
            ..interval
        });
    let estimate = finding.estimate.map(log);
    let mut moved = Finding {
        estimate,
        interval,
        standard_error: None,
        scale: Some(Scale::LogRatio),
        ..finding.clone()
    };
    let reference = from_interval(&moved).or_else(|| from_test(&moved));
    let by_interval = || {
        let (estimate, interval) = (finding.estimate?, finding.interval?);
        // The digits by which a middle is known are those of the ratio.
        let is_middle = !finding.credible && is_midpoint(estimate, interval, f64::ln);
        is_middle.then(|| from_interval(&moved)).flatten()
    };
    let own = finding
        .standard_error
        .zip(finding.estimate)
        .and_then(|(error, estimate)| {
            let reference = reference?;
            let distance = |error: f64| (error / reference).ln().abs();
            [error, error / estimate]
                .into_iter()
                .filter(|error| *error > 0.0)
                .min_by(|one, other| distance(*one).total_cmp(&distance(*other)))
        });
    moved.standard_error = match finding.standard_error {
        Some(_) => own,
        None => by_interval(),
    };
    Ok(moved)
}

fn from_interval(finding: &Finding) -> Option<f64> {
    let interval = finding.interval?;
    let quantile = finding.quantile(0.5 + interval.level / 2.0);
    Some((interval.upper - interval.lower) / (2.0 * quantile)).filter(|error| *error > 0.0)
}

fn from_test(finding: &Finding) -> Option<f64> {
    let size = finding.estimate?.abs();
    let by_statistic = finding
        .statistic
        .as_ref()
        .filter(|statistic| matches!(statistic.kind, StatisticKind::T | StatisticKind::Z))
        .map(|statistic| size / statistic.value.abs());
    by_statistic
        .or_else(|| Some(size / finding.quantile(1.0 - finding.tail()?)))
        .filter(|error| error.is_finite() && *error > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::finding::{PValue, Relation};

    fn ratio() -> Finding {
        Finding {
            name: "treat".to_owned(),
            estimate: Some(0.47),
            interval: Some(Interval {
                lower: 0.364,
                upper: 0.607,
                level: 0.95,
            }),
            p_value: Some(PValue {
                relation: Relation::Equal,
                value: 8e-9,
            }),
            ..Finding::default()
        }
    }

    #[test]
    fn a_ratio_below_one_is_a_negative_effect() {
        let moved = additive(&ratio(), Scale::Ratio, None).unwrap();
        assert!((moved.estimate.unwrap() - 0.47_f64.ln()).abs() < 1e-12);
        assert!(moved.interval.unwrap().upper < 0.0);
        assert_eq!(moved.p_value, ratio().p_value);
    }

    #[test]
    fn the_error_of_a_ratio_is_told_from_that_of_its_logarithm() {
        // log(0.607 / 0.364) / (2 * 1.96) = 0.13045; times 0.47 = 0.0613.
        for error in [0.130_45, 0.061_3] {
            let found = Finding {
                standard_error: Some(error),
                ..ratio()
            };
            let moved = additive(&found, Scale::Ratio, None).unwrap();
            assert!((moved.standard_error.unwrap() - 0.130_45).abs() < 5e-4, "{error}");
        }
        let alone = Finding {
            standard_error: Some(0.06),
            interval: None,
            p_value: None,
            ..ratio()
        };
        let moved = additive(&alone, Scale::Ratio, None).unwrap();
        assert_eq!(moved.standard_error, None, "nothing tells which error it is");
    }

    #[test]
    fn a_one_sided_p_tells_the_error_of_a_ratio_by_one_tail() {
        // ln .8 = -.2231, which p .15 on one side gives the error .2153, of the ratio .1722;
        // as a two-sided p it would give .1550, and .1722 would be taken for that of the logarithm.
        for p in [0.15, 0.85] {
            let found = Finding {
                estimate: Some(0.8),
                standard_error: Some(0.172_2),
                interval: None,
                p_value: Some(PValue {
                    relation: Relation::Equal,
                    value: p,
                }),
                sides: Some(1),
                ..ratio()
            };
            let error = additive(&found, Scale::Ratio, None).unwrap().standard_error;
            assert!((error.unwrap() - 0.215_3).abs() < 1e-4, "{error:?}");
        }
    }

    #[test]
    fn another_null_leaves_the_reported_test_out() {
        let moved = additive(
            &Finding {
                standard_error: Some(0.1),
                ..ratio()
            },
            Scale::Difference,
            Some(0.2),
        )
        .unwrap();
        assert!((moved.estimate.unwrap() - 0.27).abs() < 1e-12 && moved.p_value.is_none());
        let negative = Finding {
            estimate: Some(-0.2),
            ..ratio()
        };
        assert_eq!(
            additive(&negative, Scale::Ratio, None).unwrap_err().cause,
            DoubtCause::Scale
        );
    }
}
