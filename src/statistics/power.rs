//! Power of tests for a given effect.

use super::distributions::{normal_quantile, normal_upper, t_quantile};
use super::quadrature::log_integral;

/// A test's error and sides.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TestLevel {
    pub alpha: f64,
    pub two_sided: bool,
}

impl TestLevel {
    /// A two-sided test at .05.
    pub const CONVENTIONAL: Self = Self {
        alpha: 0.05,
        two_sided: true,
    };

    /// The probability below the upper critical value.
    fn below(self) -> f64 {
        1.0 - if self.two_sided {
            self.alpha / 2.0
        } else {
            self.alpha
        }
    }
}

/// The power of a z test whose statistic has the mean `effect`, an effect over
/// its standard error; one-sided for positive effects.
pub fn z_test(effect: f64, level: TestLevel) -> f64 {
    let critical = normal_quantile(level.below());
    let above = normal_upper(critical - effect);
    if level.two_sided {
        above + normal_upper(critical + effect)
    } else {
        above
    }
}

/// The power of a t test with `df` degrees of freedom and the noncentrality
/// `effect`; NaN where `df` is not positive.
pub fn t_test(effect: f64, df: f64, level: TestLevel) -> f64 {
    let critical = t_quantile(level.below(), df);
    let above = noncentral_t_upper(critical, df, effect);
    if level.two_sided {
        above + noncentral_t_upper(critical, df, -effect)
    } else {
        above
    }
}

/// P(T > `t`) of noncentral t, as the mean of the normal tail over the
/// distribution of the estimated standard deviation; NaN where it cannot be
/// computed.
pub fn noncentral_t_upper(t: f64, df: f64, noncentrality: f64) -> f64 {
    if !(t.is_finite() && noncentrality.is_finite() && df.is_finite() && df > 0.0) {
        return f64::NAN;
    }
    // The logarithm of the standard deviation, without its constant.
    let spread = |log_s: f64| df * (log_s - (2.0 * log_s).exp_m1() / 2.0);
    let tail = |log_s: f64| spread(log_s) + normal_upper(t * log_s.exp() - noncentrality).ln();
    let ends = [-60.0, 20.0];
    match (log_integral(tail, ends), log_integral(spread, ends)) {
        (Some(tail), Some(whole)) => (tail - whole).exp().min(1.0),
        _ => f64::NAN,
    }
}

/// The power of the test of a correlation in `n` pairs, two-sided: Fisher's z
/// with its bias `r / (2 (n - 1))` against the critical value of t. NaN below
/// four pairs. Source: Cohen (1988), Statistical Power Analysis, chapter 3, in
/// the form of R's `pwr.r.test`.
pub fn correlation_test(r: f64, n: f64, alpha: f64) -> f64 {
    if n.is_nan() || n < 4.0 {
        return f64::NAN;
    }
    let t = t_quantile(1.0 - alpha / 2.0, n - 2.0);
    let critical = (t / t.hypot((n - 2.0).sqrt())).atanh();
    let mean = r.atanh() + r / (2.0 * (n - 1.0));
    let scale = (n - 3.0).sqrt();
    normal_upper(scale * (critical - mean)) + normal_upper(scale * (critical + mean))
}

/// The positive correlation that a two-sided test in `n` pairs finds with a
/// given power; `None` below four pairs or where none has it.
pub fn correlation_with_power(power: f64, n: f64, alpha: f64) -> Option<f64> {
    let (mut lower, mut upper) = (0.0, 1.0 - 1e-12);
    let of = |r| correlation_test(r, n, alpha);
    if !(of(lower) < power && power < of(upper)) {
        return None;
    }
    while upper - lower > 1e-15 {
        let middle = f64::midpoint(lower, upper);
        if middle <= lower || middle >= upper {
            break;
        }
        if of(middle) < power {
            lower = middle;
        } else {
            upper = middle;
        }
    }
    Some(f64::midpoint(lower, upper))
}

/// The power of a replication with this standard error for the original's
/// effect, in the same unit: by t where it has degrees of freedom.
pub fn replication(original: f64, standard_error: f64, df: Option<f64>, level: TestLevel) -> f64 {
    let effect = original.abs() / standard_error;
    df.map_or_else(|| z_test(effect, level), |df| t_test(effect, df, level))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-8, "{found} for {expected}");
    }

    #[test]
    fn z_and_t_tests() {
        let two = TestLevel::CONVENTIONAL;
        let one = TestLevel {
            two_sided: false,
            ..two
        };
        // R: pnorm(2.8 - qnorm(.975)) + pnorm(-2.8 - qnorm(.975)); pnorm(1.5 - qnorm(.95))
        close(z_test(2.8, two), 0.799_556_871_435_651_6);
        close(z_test(-2.8, two), 0.799_556_871_435_651_6);
        close(z_test(1.5, one), 0.442_413_220_250_123_8);
        // R: 1 - pt(qt(.975, df), df, ncp) + pt(-qt(.975, df), df, ncp)
        close(t_test(2.5, 8.0, two), 0.593_078_093_263_799_5);
        close(t_test(1.0, 2000.0, two), 0.169_956_646_191_533_3);
        // pwr 1.3: pwr.t.test(n = 30, d = .5); pwr.t.test(n = 15, d = .4, type = "one.sample")
        close(t_test(0.5 * 15_f64.sqrt(), 58.0, two), 0.477_896_520_760_210_1);
        close(t_test(0.4 * 15_f64.sqrt(), 14.0, two), 0.303_164_928_463_272_7);
        // Integrated in 25 digits (mpmath); the last by R's pt, to eight.
        close(noncentral_t_upper(2.0, 3.0, 1.2), 0.311_016_442_885_159_3);
        close(noncentral_t_upper(4.3, 1.0, -0.5), 0.036_227_830_307_031_39);
        close(noncentral_t_upper(-1.0, 12.0, 0.3), 0.895_126_094_166_181_4);
        close(noncentral_t_upper(1.96, 500_000.0, 3.0), 0.850_829_813_276_927_6);
        assert!(t_test(1.0, 0.0, two).is_nan());
    }

    #[test]
    fn correlations() {
        // pwr 1.3: pwr.r.test(n = 50, r = .3); pwr.r.test(n = 20, r = -.5, sig.level = .01)
        close(correlation_test(0.3, 50.0, 0.05), 0.571_555_841_860_208);
        close(correlation_test(-0.5, 20.0, 0.01), 0.382_557_475_345_121_4);
        assert!(correlation_test(0.3, 3.0, 0.05).is_nan());
        // pwr.r.test(n, power = 1/3)$r, which R searches to 1e-4.
        for (n, expected) in [
            (10.0, 0.503_193_434),
            (62.0, 0.195_153_432),
            (1929.0, 0.034_797_683),
        ] {
            let r = correlation_with_power(1.0 / 3.0, n, 0.05).unwrap();
            assert!((r - expected).abs() < 1e-4, "{n}: {r}");
            close(correlation_test(r, n, 0.05), 1.0 / 3.0);
        }
        assert_eq!(correlation_with_power(1.0 / 3.0, 3.0, 0.05), None);
        assert_eq!(correlation_with_power(0.01, 50.0, 0.05), None);
    }

    #[test]
    fn a_replication_is_asked_about_the_original_effect() {
        let level = TestLevel::CONVENTIONAL;
        close(replication(-0.28, 0.1, None, level), 0.799_556_871_435_651_6);
        close(replication(0.25, 0.1, Some(8.0), level), 0.593_078_093_263_799_5);
    }
}
