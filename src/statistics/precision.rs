//! The precision of a finding, by whatever figures it gives.

use serde::{Deserialize, Serialize};

use super::correlation;
use super::distributions::{normal_quantile, t_quantile};
use crate::domain::finding::{Finding, Interval, Relation};
use crate::domain::scale::Scale;

/// Magnitudes beyond these bounds are input errors, and would overflow when squared.
pub const LARGEST: f64 = 1e100;
pub const SMALLEST: f64 = 1e-100;

/// The figure that a standard error was computed from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    Reported,
    ConfidenceInterval,
    PValue,
    DegreesOfFreedom,
    SampleSize,
}

/// Whether degrees of freedom are usable: finite and above zero.
pub fn usable_df(df: f64) -> bool {
    df.is_finite() && df > 0.0
}

/// Whether a standard error is usable: positive, and of a magnitude that can be squared.
pub fn usable_error(error: f64) -> bool {
    (SMALLEST..=LARGEST).contains(&error)
}

/// Whether an estimate is the middle of its interval on some scale, within the rounding
/// of the three: to half a unit of the most decimals that one of them is written with.
pub fn is_midpoint(estimate: f64, interval: Interval, scale: impl Fn(f64) -> f64) -> bool {
    let all = [estimate, interval.lower, interval.upper];
    let decimals = |value: &f64| {
        value
            .to_string()
            .split_once('.')
            .map_or(0, |(_, after)| after.len())
    };
    let most = all.iter().map(decimals).max().unwrap_or_default();
    let half = 0.5 * 10_f64.powi(-i32::try_from(most).unwrap_or(i32::MAX));
    let [least, most] = [-half, half].map(|by| {
        let [_, lower, upper] = all.map(|value| scale(value + by));
        f64::midpoint(lower, upper)
    });
    let slack = 1e-6 * (scale(interval.upper) - scale(interval.lower)).abs();
    let [below, above] = [-half, half].map(|by| scale(estimate + by));
    // Two stretches that meet.
    below <= most + slack && least <= above + slack
}

/// The precision of a finding, from its figures.
pub trait FindingPrecision {
    /// The 95 % interval: the reported one, or estimate ± 1.96 standard errors, or
    /// by t where degrees of freedom are given; of a correlation by noncentral t.
    fn interval95(&self) -> Option<Interval>;

    /// The standard error: the reported one whatever it is, else from the width
    /// of the interval if the estimate is its middle, else from the exact p-value by
    /// its sides; and which of these it was. Both go by t where degrees of freedom are
    /// given. That of a correlation is by its degrees of freedom or n.
    fn precision(&self) -> Option<(f64, Basis)>;

    /// The share of its test's distribution beyond the estimate, at most one half,
    /// by the exact p-value: half of it, and of a one-sided one all of it or, where
    /// the estimate lies on the other side, what is left. Two-sided where nothing
    /// is said; `None` where no exact p-value of this test alone is given.
    fn tail(&self) -> Option<f64>;

    /// The quantile of its test's distribution: Student's t with its degrees of
    /// freedom, else normal; NaN outside (0, 1) or of degrees that are not usable.
    fn quantile(&self, probability: f64) -> f64;
}

impl FindingPrecision for Finding {
    fn interval95(&self) -> Option<Interval> {
        if let Some(interval) = self
            .interval
            .filter(|interval| (interval.level - 0.95).abs() < 1e-9)
        {
            return Some(interval);
        }
        if self.scale == Some(Scale::Correlation) {
            let freedom = self.df.or(self.n.map(|n| n as f64 - 2.0))?;
            return correlation::interval(self.estimate?, freedom, 0.95);
        }
        let (estimate, error) = (self.estimate?, self.standard_error?);
        let quantile = match self.df {
            Some(_) => Some(self.quantile(0.975)).filter(|quantile| quantile.is_finite())?,
            None => 1.959_963_984_540_054,
        };
        let half = quantile * error;
        Some(Interval {
            lower: estimate - half,
            upper: estimate + half,
            level: 0.95,
        })
    }

    fn precision(&self) -> Option<(f64, Basis)> {
        let from_interval = || {
            let interval = self.interval?;
            let is_middle = |estimate| is_midpoint(estimate, interval, |value| value);
            if !self.estimate.is_none_or(is_middle) {
                return None;
            }
            let quantile = self.quantile(0.5 + interval.level / 2.0);
            Some((
                (interval.upper - interval.lower) / (2.0 * quantile),
                Basis::ConfidenceInterval,
            ))
        };
        let from_p = || {
            Some((
                self.estimate?.abs() / self.quantile(1.0 - self.tail()?),
                Basis::PValue,
            ))
        };
        let usable = |(error, _): &(f64, Basis)| usable_error(*error);
        let of_correlation = || {
            let r = self.estimate.filter(|_| self.scale == Some(Scale::Correlation))?;
            let (freedom, basis) = match (self.df, self.n) {
                (Some(df), _) => (df, Basis::DegreesOfFreedom),
                (None, n) => (n? as f64, Basis::SampleSize),
            };
            Some((correlation::standard_error(r, freedom), basis))
        };
        self.standard_error
            .map(|error| (error, Basis::Reported))
            .or_else(|| of_correlation().filter(usable))
            .or_else(|| from_interval().filter(usable))
            .or_else(|| from_p().filter(usable))
    }

    fn tail(&self) -> Option<f64> {
        let p = self
            .p_value
            .filter(|p| p.relation == Relation::Equal && self.adjusted.is_none())?
            .value;
        Some(match self.sides {
            Some(1) => p.min(1.0 - p),
            _ => p / 2.0,
        })
    }

    fn quantile(&self, probability: f64) -> f64 {
        match self.df {
            Some(df) if usable_df(df) => t_quantile(probability, df),
            Some(_) => f64::NAN,
            None => normal_quantile(probability),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::finding::{Interval, PValue};

    fn finding(df: Option<f64>) -> Finding {
        Finding {
            estimate: Some(-1.94),
            df,
            ..Finding::default()
        }
    }

    #[test]
    fn degrees_of_freedom_make_a_p_value_and_an_interval_say_less() {
        // scipy.stats.linregress([1, 2, 3, 4], [2.1, 3.9, 6.2, 7.8]) has the standard error
        // 0.09055385138, and its interval is by t.ppf(0.975, 2).
        let p = |df| Finding {
            p_value: Some(PValue {
                relation: Relation::Equal,
                value: 0.002_171_670_245,
            }),
            ..finding(df)
        };
        let (error, basis) = p(Some(2.0)).precision().unwrap();
        assert!(
            (error - 0.090_553_851_38).abs() < 1e-9 && basis == Basis::PValue,
            "{error}"
        );
        assert!(p(None).precision().unwrap().0 > 0.6);
        let interval = |df| Finding {
            interval: Some(Interval {
                lower: -2.329_621_775_835,
                upper: -1.550_378_224_165,
                level: 0.95,
            }),
            ..finding(df)
        };
        let (error, basis) = interval(Some(2.0)).precision().unwrap();
        assert!(
            (error - 0.090_553_851_38).abs() < 1e-9 && basis == Basis::ConfidenceInterval,
            "{error}"
        );
        assert!(interval(None).precision().unwrap().0 > 0.19);
    }

    #[test]
    fn only_the_middle_of_an_interval_shows_its_error() {
        let given = |estimate: f64, lower: f64, upper: f64| {
            let interval = Interval {
                lower,
                upper,
                level: 0.95,
            };
            [
                is_midpoint(estimate, interval, |value| value),
                is_midpoint(estimate, interval, f64::ln),
            ]
        };
        assert_eq!(given(0.31, 0.11, 0.51), [true, false]);
        // Printed to two digits: the middle is .305.
        assert_eq!(given(0.31, 0.10, 0.51), [true, false]);
        assert_eq!(given(0.33, 0.10, 0.51), [false, false]);
        assert_eq!(given(0.45, 0.28, 0.70), [false, true]);
        assert_eq!(given(1.05, 0.80, 1.38), [false, true]);
        assert_eq!(given(-0.3, -0.5, -0.1), [true, false]);
        assert_eq!(given(f64::NAN, 0.1, 0.5), [false; 2]);
        // A bootstrap interval is not even, and its width is no standard error.
        let skewed = Finding {
            estimate: Some(0.33),
            interval: Some(Interval {
                lower: 0.10,
                upper: 0.51,
                level: 0.95,
            }),
            ..Finding::default()
        };
        assert_eq!(skewed.precision(), None);
    }

    #[test]
    fn a_correlation_has_its_error_and_its_interval_from_its_degrees() {
        let r = |estimate, df, n| Finding {
            estimate: Some(estimate),
            scale: Some(Scale::Correlation),
            df,
            n,
            ..Finding::default()
        };
        // √((1 - .6²) / 16) and √((1 - .6²) / 25)
        assert_eq!(
            r(0.6, Some(16.0), Some(25)).precision(),
            Some((0.2, Basis::DegreesOfFreedom))
        );
        assert_eq!(
            r(0.6, None, Some(25)).precision(),
            Some((0.16, Basis::SampleSize))
        );
        for estimate in [-0.97, 0.0, 0.97] {
            let interval = r(estimate, Some(4.0), None).interval95().unwrap();
            assert!(-1.0 < interval.lower && interval.lower < estimate, "{interval:?}");
            assert!(interval.upper < 1.0 && estimate < interval.upper, "{interval:?}");
        }
        for (estimate, df) in [(1.0, Some(4.0)), (1.2, Some(4.0)), (0.5, Some(0.0)), (0.5, None)] {
            assert_eq!(r(estimate, df, None).interval95(), None);
            assert_eq!(r(estimate, df, None).precision(), None);
        }
    }

    #[test]
    fn a_one_sided_p_value_is_one_tail() {
        // R: .05 / qnorm(.85) = .0482424, .05 / qnorm(.925) = .0347335, 1.94 / qt(.85, 7) = 1.7334443.
        let error = |estimate: f64, value, sides, df| {
            let finding = Finding {
                estimate: Some(estimate),
                p_value: Some(PValue {
                    relation: Relation::Equal,
                    value,
                }),
                sides,
                ..finding(df)
            };
            finding.precision().map(|(error, _)| error)
        };
        let close = |found: Option<f64>, expected: f64| {
            assert!(
                (found.unwrap() - expected).abs() < 1e-6,
                "{found:?} for {expected}"
            );
        };
        close(error(-0.05, 0.15, Some(1), None), 0.048_242_4);
        // The estimate lies on the side that is not tested.
        close(error(0.05, 0.85, Some(1), None), 0.048_242_4);
        close(error(-0.05, 0.15, Some(2), None), 0.034_733_5);
        close(error(-0.05, 0.15, None, None), 0.034_733_5);
        close(error(-1.94, 0.15, Some(1), Some(7.0)), 1.733_444_3);
        for p in [0.5, 0.0, 1.0, 1.2] {
            assert_eq!(error(-0.05, p, Some(1), None), None, "{p}");
        }
    }

    #[test]
    fn degrees_that_cannot_be_give_no_precision() {
        for df in [0.0, -3.0, f64::NAN, f64::INFINITY] {
            assert!(!usable_df(df));
            let p = Finding {
                p_value: Some(PValue {
                    relation: Relation::Equal,
                    value: 0.01,
                }),
                ..finding(Some(df))
            };
            assert_eq!(p.precision(), None, "{df}");
        }
        // However few they are, the quantile comes back.
        for df in [1e-300, 1e-6, 0.01, 0.3, 1e300] {
            let quantile = finding(Some(df)).quantile(0.975);
            assert!(quantile.is_nan() || quantile > 1.9, "{df}: {quantile}");
        }
    }
}
