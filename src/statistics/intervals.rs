//! Confidence intervals of estimates, means and correlations.

use crate::domain::finding::Interval;
use crate::statistics::distributions::{normal_quantile, t_quantile};

/// The two-sided normal quantile of a level: 1.96 for 0.95. NaN outside (0, 1).
pub fn z_of(level: f64) -> f64 {
    normal_quantile(0.5 + level / 2.0)
}

/// `estimate ± z × standard_error`; `None` unless all is finite and the error positive.
pub fn normal(estimate: f64, standard_error: f64, level: f64) -> Option<Interval> {
    around(estimate, standard_error, z_of(level), level)
}

/// `estimate ± t × standard_error` with `df` degrees of freedom.
pub fn student(estimate: f64, standard_error: f64, df: f64, level: f64) -> Option<Interval> {
    around(estimate, standard_error, t_quantile(0.5 + level / 2.0, df), level)
}

fn around(estimate: f64, standard_error: f64, quantile: f64, level: f64) -> Option<Interval> {
    let half = quantile * standard_error;
    let usable = estimate.is_finite() && half.is_finite() && half > 0.0;
    usable.then_some(Interval {
        lower: estimate - half,
        upper: estimate + half,
        level,
    })
}

/// The t interval of a mean of independent values; `None` of fewer than two, or
/// where they do not vary.
pub fn mean(values: &[f64], level: f64) -> Option<Interval> {
    if values.len() < 2 || values.iter().any(|value| !value.is_finite()) {
        return None;
    }
    let n = values.len() as f64;
    let centre = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|value| (value - centre).powi(2)).sum::<f64>() / (n - 1.0);
    student(centre, (variance / n).sqrt(), n - 1.0, level)
}

/// A correlation's interval by Fisher's z, with standard error `1/√(n-3)`;
/// `None` for four values or fewer, or at ±1.
pub fn correlation(r: f64, n: u64, level: f64) -> Option<Interval> {
    if n <= 4 || r.is_nan() || r.abs() >= 1.0 {
        return None;
    }
    let interval = normal(r.atanh(), 1.0 / (n as f64 - 3.0).sqrt(), level)?;
    Some(Interval {
        lower: interval.lower.tanh(),
        upper: interval.upper.tanh(),
        level,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(interval: Option<Interval>, lower: f64, upper: f64) {
        let found = interval.unwrap();
        assert!(
            (found.lower - lower).abs() < 5e-5 && (found.upper - upper).abs() < 5e-5,
            "{found:?}"
        );
    }

    #[test]
    fn means_correlations_and_what_has_none() {
        close(mean(&[1.0, 2.0, 3.0, 4.0], 0.95), 0.445_74, 4.554_26);
        // Spearman .862 of 53 extractions: .77 to .92 by Fisher's plain z.
        close(correlation(0.862, 53, 0.95), 0.771_45, 0.918_33);
        assert_eq!(mean(&[1.0, 1.0], 0.95), None);
        assert_eq!(correlation(1.0, 10, 0.95), None);
        assert_eq!(normal(1.0, 0.0, 0.95), None);
    }
}
