//! Correlations from test statistics.
//!
//! From the t of one coefficient among several the result is the partial
//! correlation of its variable with the outcome.

use super::effect_size::EffectSize;

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
pub fn of_t(t: f64, df: f64) -> Option<EffectSize> {
    let r = from_t(t, df);
    EffectSize::new(r, standard_error(r, df))
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
        let effect = of_t(t, 55.0).unwrap();
        close(effect.value / effect.standard_error, t);
        // R: chisq.test of [[23, 77], [12, 91]] uncorrected, and cor of the two indicators.
        close(
            from_chi_squared(4.580_474_919_093_85, 203.0),
            0.150_212_901_768_141,
        );
    }

    #[test]
    fn what_has_no_correlation() {
        assert_eq!(of_t(2.0, 0.0), None);
        assert_eq!(of_t(f64::NAN, 10.0), None);
        assert_eq!(fisher(1.0, 50.0, 0.0), None);
        assert_eq!(fisher(0.3, 3.0, 0.0), None);
    }
}
