//! The distance of a result from no effect, in standard errors.

use crate::domain::finding::{Finding, Relation};
use crate::domain::scale::Scale;
use crate::domain::statistic::StatisticKind;
use crate::statistics::distributions::{chi_squared_upper, f_upper, normal_quantile, t_upper};
use crate::statistics::precision::FindingPrecision as _;
use crate::statistics::precision::usable_error;

/// The figures that a distance is taken from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// The test statistic, by its own distribution.
    Statistic,
    /// Estimate, null and standard error.
    Error,
    /// The p-value, with the sign of the estimate where it has one.
    PValue,
}

/// All ways, the most exact first.
const WAYS: [Way; 3] = [Way::Statistic, Way::Error, Way::PValue];
/// Beyond this a distance says no more.
const FARTHEST: f64 = 40.0;

/// The first way that gives a distance of every one of the results.
pub fn common_way<'a>(findings: impl Iterator<Item = &'a Finding> + Clone, null: f64) -> Option<Way> {
    WAYS.into_iter().find(|way| {
        findings
            .clone()
            .all(|finding| distance(finding, null, *way).is_some())
    })
}

/// The standard normal quantile of where a result lies under no effect. Of a
/// statistic without a sign it is the upper tail's, so that it scatters about
/// zero, too, where there is no effect.
pub fn distance(finding: &Finding, null: f64, way: Way) -> Option<f64> {
    let found = match way {
        Way::Statistic => from_statistic(finding),
        Way::Error => from_error(finding, null),
        Way::PValue => from_p(finding, null),
    };
    found
        .filter(|z| !z.is_nan())
        .map(|z| z.clamp(-FARTHEST, FARTHEST))
}

fn from_statistic(finding: &Finding) -> Option<f64> {
    let statistic = finding.statistic.as_ref()?;
    let value = statistic.value;
    let df = statistic.df.last().or(finding.df);
    match &statistic.kind {
        StatisticKind::Z => Some(value),
        StatisticKind::T => Some(df.map_or(value, |df| from_t(value, df))),
        StatisticKind::R => {
            let df = df.or(finding.n.map(|n| n as f64 - 2.0)).filter(|df| *df > 0.0)?;
            (value.abs() < 1.0).then(|| from_t(value * (df / (1.0 - value * value)).sqrt(), df))
        }
        StatisticKind::F => match statistic.df.0.as_slice() {
            [numerator, denominator] => Some(from_upper_tail(f_upper(value, *numerator, *denominator))),
            _ => None,
        },
        StatisticKind::ChiSquared => df.map(|df| from_upper_tail(chi_squared_upper(value, df))),
        StatisticKind::Other(_) => None,
    }
}

fn from_error(finding: &Finding, null: f64) -> Option<f64> {
    let estimate = finding.estimate?;
    let (error, _) = finding.precision().filter(|(error, _)| usable_error(*error))?;
    let z = if finding.scale == Some(Scale::Ratio) {
        if !(estimate > 0.0 && null > 0.0) {
            return None;
        }
        (estimate / null).ln() * estimate / error
    } else {
        (estimate - null) / error
    };
    Some(finding.df.map_or(z, |df| from_t(z, df)))
}

fn from_p(finding: &Finding, null: f64) -> Option<f64> {
    let p = finding.p_value.filter(|p| p.relation != Relation::Greater)?.value;
    let signed = finding.scale != Some(Scale::Unsigned);
    match finding.estimate.filter(|_| signed && finding.sides != Some(1)) {
        Some(estimate) => Some(from_upper_tail(p / 2.0).abs().copysign(estimate - null)),
        None => Some(from_upper_tail(p)),
    }
}

/// The normal quantile of a t statistic. Far out both tails underflow, and the
/// statistic itself is far enough.
fn from_t(t: f64, df: f64) -> f64 {
    let tail = t_upper(t.abs(), df);
    if tail > 0.0 {
        from_upper_tail(tail).copysign(t)
    } else {
        t
    }
}

fn from_upper_tail(p: f64) -> f64 {
    if p.is_nan() {
        return f64::NAN;
    }
    -normal_quantile(p.clamp(1e-300, 1.0 - 1e-16))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::finding::PValue;
    use crate::domain::statistic::{DegreesOfFreedom, Statistic};

    fn by_statistic(kind: StatisticKind, value: f64, df: &[f64]) -> Finding {
        Finding {
            statistic: Some(Statistic {
                kind,
                value,
                df: DegreesOfFreedom(df.to_vec()),
            }),
            ..Finding::default()
        }
    }

    #[test]
    fn ways_agree_on_one_result() {
        // scipy.stats: t = 2.5 on 20 df has p = 0.0212279, and F = t².
        let expected = 2.303_8;
        let mut finding = by_statistic(StatisticKind::T, 2.5, &[20.0]);
        finding.estimate = Some(5.0);
        finding.standard_error = Some(2.0);
        finding.df = Some(20.0);
        finding.p_value = Some(PValue {
            relation: Relation::Equal,
            value: 0.021_227_9,
        });
        for way in WAYS {
            let z = distance(&finding, 0.0, way).unwrap();
            assert!((z - expected).abs() < 2e-4, "{way:?}: {z}");
        }
        let f = distance(
            &by_statistic(StatisticKind::F, 6.25, &[1.0, 20.0]),
            0.0,
            Way::Statistic,
        )
        .unwrap();
        // The upper tail of F is both tails of t.
        assert!((f - 2.028_9).abs() < 2e-4, "{f}");
    }

    #[test]
    fn a_ratio_is_as_far_as_its_logarithm() {
        let finding = Finding {
            estimate: Some(0.5),
            standard_error: Some(0.1),
            scale: Some(Scale::Ratio),
            ..Finding::default()
        };
        let z = distance(&finding, 1.0, Way::Error).unwrap();
        assert!((z - 0.5_f64.ln() / 0.2).abs() < 1e-12);
    }

    #[test]
    fn the_way_is_one_that_all_results_have() {
        let with = by_statistic(StatisticKind::T, 2.0, &[10.0]);
        let without = Finding {
            p_value: Some(PValue {
                relation: Relation::Equal,
                value: 0.5,
            }),
            ..Finding::default()
        };
        let mut both = with.clone();
        both.p_value = without.p_value;
        assert_eq!(common_way([&with].into_iter(), 0.0), Some(Way::Statistic));
        assert_eq!(common_way([&both, &without].into_iter(), 0.0), Some(Way::PValue));
        assert_eq!(common_way([&with, &without].into_iter(), 0.0), None);
    }
}
