//! Correlations from test statistics.
//!
//! From the t of one coefficient among several the result is the partial
//! correlation of its variable with the outcome.

use super::effect_size::EffectSize;
use super::intervals;
use super::power::noncentral_t_upper;
use crate::domain::finding::Interval;

/// `t / √(t² + df)`. Source: Rosenthal (1991), Meta-Analytic Procedures for
/// Social Research, equation 2.16.
pub fn from_t(t: f64, df: f64) -> f64 {
    t / t.hypot(df.sqrt())
}

/// `z / √(z² + n)`, the same in a sample large enough for z.
pub fn from_z(z: f64, n: f64) -> f64 {
    from_t(z, n)
}

/// The size of the correlation behind F with one numerator degree of freedom,
/// which is the square of t. It has no sign.
pub fn from_f(f: f64, denominator: f64) -> f64 {
    from_t(f.sqrt(), denominator)
}

/// The size of phi behind chi-squared with one degree of freedom: `√(χ² / n)`.
/// It has no sign.
pub fn from_chi_squared(chi_squared: f64, n: f64) -> f64 {
    (chi_squared / n).sqrt()
}

/// The large-sample standard error `√((1 - r²) / df)`, by which `r` over it is
/// the t that [`from_t`] starts from.
pub fn standard_error(r: f64, df: f64) -> f64 {
    ((1.0 - r * r) / df).sqrt()
}

/// The degrees of freedom by which a t and a correlation belong together:
/// `t² (1 - r²) / r²`.
pub fn df_behind(t: f64, r: f64) -> f64 {
    (t / r).powi(2) * (1.0 - r * r)
}

/// A correlation with its standard error from a t statistic; `None` unless it
/// can be computed.
pub fn effect_from_t(t: f64, df: f64) -> Option<EffectSize> {
    let r = from_t(t, df);
    EffectSize::new(r, standard_error(r, df))
}

/// The interval of a correlation from its t: the noncentralities that make so
/// large a t as rare as the level says, each as a correlation. `None` where it
/// cannot be computed. Source: Steiger and Fouladi (1997), in Harlow, Mulaik and
/// Steiger, What If There Were No Significance Tests?, chapter 9.
pub fn interval_of_t(t: f64, df: f64, level: f64) -> Option<Interval> {
    let tail = (1.0 - level) / 2.0;
    let bound = |upper_tail| noncentrality(t, df, upper_tail).map(|noncentral| from_t(noncentral, df));
    Some(Interval {
        lower: bound(tail)?,
        upper: bound(1.0 - tail)?,
        level,
    })
}

/// The interval of a correlation with these degrees of freedom, by noncentral t and so
/// within -1 and 1; by the normal distribution if t is too extreme. `None` at ±1.
pub fn interval(r: f64, df: f64, level: f64) -> Option<Interval> {
    let usable = r.abs() < 1.0 && df.is_finite() && df > 0.0;
    usable.then(|| {
        let t = r * (df / (1.0 - r * r)).sqrt();
        interval_of_t(t, df, level).or_else(|| interval_of_z(t, df, level))
    })?
}

/// The same from z, by the normal distribution.
pub fn interval_of_z(z: f64, n: f64, level: f64) -> Option<Interval> {
    let statistic = intervals::normal(z, 1.0, level)?;
    Some(Interval {
        lower: from_z(statistic.lower, n),
        upper: from_z(statistic.upper, n),
        level,
    })
}

/// The noncentrality by which a larger t has this probability.
fn noncentrality(t: f64, df: f64, upper_tail: f64) -> Option<f64> {
    // Many standard deviations of noncentral t to either side.
    let reach = 12.0 * (1.0 + t * t / df).sqrt();
    let (mut lower, mut upper) = (t - reach, t + reach);
    for _ in 0..60 {
        let middle = f64::midpoint(lower, upper);
        let found = noncentral_t_upper(t, df, middle);
        if found.is_nan() {
            return None;
        }
        if found < upper_tail {
            lower = middle;
        } else {
            upper = middle;
        }
    }
    Some(f64::midpoint(lower, upper))
}

/// Fisher's z of a correlation in `n` observations that `controls` other
/// variables were held constant for: standard error `1 / √(n - controls - 3)`.
/// Source: Fisher (1924), Metron 3, 329.
pub fn fisher(r: f64, n: f64, controls: f64) -> Option<EffectSize> {
    EffectSize::new(r.atanh(), (n - controls - 3.0).powf(-0.5))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-8, "{found} for {expected}");
    }

    #[test]
    fn as_metafor_has_it() {
        // metafor 3.8: escalc(measure = "PCOR", ti = 2.3, ni = 60, mi = 5), of 54 degrees of freedom.
        close(from_t(2.3, 54.0), 0.298_701_298_701_298_7);
        // escalc(measure = "ZPCOR", ti = 2.3, ni = 60, mi = 5), of which four are held constant.
        let z = fisher(from_t(2.3, 54.0), 60.0, 4.0).unwrap();
        close(z.value, 0.308_093_069_711_908_5);
        close(z.standard_error, 53.0_f64.powf(-0.5));
        // escalc(measure = "ZCOR", ri = .42, ni = 57)
        let z = fisher(0.42, 57.0, 0.0).unwrap();
        close(z.value, 0.447_692_023_527_420_7);
        close(z.standard_error, 0.136_082_763_487_954_3);
    }

    #[test]
    fn statistics_of_one_test_give_one_correlation() {
        // The t test of a correlation of .42 in 57 pairs.
        let t = 0.42 * (55.0_f64 / (1.0 - 0.42 * 0.42)).sqrt();
        close(from_t(t, 55.0), 0.42);
        close(from_t(-t, 55.0), -0.42);
        close(from_f(t * t, 55.0), 0.42);
        close(df_behind(t, 0.42), 55.0);
        let effect = effect_from_t(t, 55.0).unwrap();
        close(effect.value / effect.standard_error, t);
        // R: chisq.test of [[23, 77], [12, 91]] uncorrected, and cor of the two indicators.
        close(
            from_chi_squared(4.580_474_919_093_85, 203.0),
            0.150_212_901_768_141,
        );
    }

    #[test]
    fn intervals_by_noncentral_t() {
        // scipy 1.17: brentq of stats.nct.cdf(t, df, nc) at .975 and .025, as nc / sqrt(nc**2 + df)
        for (t, df, lower, upper) in [
            (2.25924, 60.0, 0.032_151_111_437_382_55, 0.481_134_091_607_309_7),
            (-3.0, 267.0, -0.291_190_988_787_751_5, -0.062_352_847_983_222_714),
            (0.5, 12.0, -0.392_910_876_236_494_9, 0.578_956_356_351_388_1),
        ] {
            let found = interval_of_t(t, df, 0.95).unwrap();
            close(found.lower, lower);
            close(found.upper, upper);
        }
        let found = interval_of_z(2.0, 96.0, 0.95).unwrap();
        close(found.lower, from_z(2.0 - 1.959_963_984_540_054, 96.0));
        assert_eq!(interval_of_t(f64::NAN, 10.0, 0.95), None);
    }

    #[test]
    fn what_has_no_correlation() {
        assert_eq!(effect_from_t(2.0, 0.0), None);
        assert_eq!(effect_from_t(f64::NAN, 10.0), None);
        assert_eq!(fisher(1.0, 50.0, 0.0), None);
        assert_eq!(fisher(0.3, 3.0, 0.0), None);
    }
}
