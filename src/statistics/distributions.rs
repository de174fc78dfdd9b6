//! Normal, Student's t, chi-squared and F, guarded where the crate behind them fails.
//!
//! `statrs` gives a t quantile that drifts above a thousand degrees of freedom
//! (16 % off at 1e7) and never returns at 1e9, so there it is replaced by its
//! expansion about the normal quantile.

use statrs::distribution::{
    ChiSquared, Continuous as _, ContinuousCDF as _, FisherSnedecor, Normal, StudentsT,
};

/// Degrees of freedom up to which `statrs` inverts the t distribution well.
const T_QUANTILE_LIMIT: f64 = 1000.0;
/// Degrees of freedom up to which its upper tail is good to 4e-10.
const T_TAIL_LIMIT: f64 = 1e6;

/// P(Z ≤ `z`) of the standard normal.
pub fn normal_cdf(z: f64) -> f64 {
    Normal::standard().cdf(z)
}

/// P(Z > `z`) of the standard normal, without cancellation in the tail.
pub fn normal_upper(z: f64) -> f64 {
    Normal::standard().sf(z)
}

/// The standard normal quantile of `probability`; NaN outside (0, 1).
pub fn normal_quantile(probability: f64) -> f64 {
    if probability > 0.0 && probability < 1.0 {
        Normal::standard().inverse_cdf(probability)
    } else {
        f64::NAN
    }
}

/// The two-sided p-value of a standard normal statistic.
pub fn normal_two_sided(z: f64) -> f64 {
    (2.0 * normal_upper(z.abs())).min(1.0)
}

/// P(T > `t`) with `df` degrees of freedom; NaN unless `df` is positive.
pub fn t_upper(t: f64, df: f64) -> f64 {
    if df > T_TAIL_LIMIT {
        // First term of the expansion in 1/df; the next is below 1e-12 here.
        let density = (-0.5 * t * t).exp() / (2.0 * std::f64::consts::PI).sqrt();
        return normal_upper(t) + density * t * (t * t + 1.0) / (4.0 * df);
    }
    StudentsT::new(0.0, 1.0, df).map_or(f64::NAN, |student| student.sf(t))
}

/// The two-sided p-value of a t statistic with `df` degrees of freedom.
pub fn t_two_sided(t: f64, df: f64) -> f64 {
    (2.0 * t_upper(t.abs(), df)).min(1.0)
}

/// The t quantile of `probability`; NaN outside (0, 1) or unless `df` is positive.
///
/// Above a thousand degrees of freedom it starts from the Cornish-Fisher
/// expansion to the third order (Abramowitz and Stegun 26.7.5).
pub fn t_quantile(probability: f64, df: f64) -> f64 {
    if !(probability > 0.0 && probability < 1.0 && df > 0.0) {
        return f64::NAN;
    }
    if df > T_TAIL_LIMIT {
        return t_quantile_expanded(probability, df);
    }
    let Ok(student) = StudentsT::new(0.0, 1.0, df) else {
        return f64::NAN;
    };
    let start = if df > T_QUANTILE_LIMIT {
        t_quantile_expanded(probability, df)
    } else {
        student.inverse_cdf(probability)
    };
    // Newton on the nearer tail, where nothing cancels.
    let wanted = probability.min(1.0 - probability);
    (0..2).fold(start, |t, _| {
        let step = (student.sf(t.abs()) - wanted) / student.pdf(t);
        if step.abs() < 1e-4 * t.abs() {
            t + step * t.signum()
        } else {
            t
        }
    })
}

fn t_quantile_expanded(probability: f64, df: f64) -> f64 {
    let z = normal_quantile(probability);
    let s = z * z;
    let first = z * (s + 1.0) / 4.0;
    let second = z * ((5.0 * s + 16.0) * s + 3.0) / 96.0;
    let third = z * (((3.0 * s + 19.0) * s + 17.0) * s - 15.0) / 384.0;
    z + first / df + second / df.powi(2) + third / df.powi(3)
}

/// P(X > `x`) of chi-squared with `df` degrees of freedom.
pub fn chi_squared_upper(x: f64, df: f64) -> f64 {
    ChiSquared::new(df).map_or(f64::NAN, |chi| chi.sf(x))
}

/// P(X > `x`) of F with `numerator` and `denominator` degrees of freedom.
pub fn f_upper(x: f64, numerator: f64, denominator: f64) -> f64 {
    FisherSnedecor::new(numerator, denominator).map_or(f64::NAN, |f| f.sf(x))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_t_quantile_returns_and_nears_the_normal() {
        // R: qt(0.975, c(5, 1000, 1e4, 1e6, 1e9))
        for (df, expected) in [
            (5.0, 2.570_581_835_636_314),
            (1e3, 1.962_339_080_825_274_6),
            (1e4, 1.960_201_239_902_176_8),
            (1e6, 1.959_966_356_816_376),
            (1e9, 1.959_963_986_912_368_2),
        ] {
            let found = t_quantile(0.975, df);
            assert!((found - expected).abs() < 1e-9, "{df}: {found}");
            assert!((t_quantile(0.025, df) + expected).abs() < 1e-9, "{df}");
        }
        assert!(t_quantile(0.5, 1e5).abs() < 1e-12);
    }

    #[test]
    fn outside_the_domain_is_nan() {
        assert!(t_quantile(1.0, 5.0).is_nan());
        assert!(t_quantile(0.5, 0.0).is_nan());
        assert!(t_quantile(0.5, f64::NAN).is_nan());
        assert!(t_upper(1.0, -1.0).is_nan());
        assert!(normal_quantile(0.0).is_nan());
    }
}
