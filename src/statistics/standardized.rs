//! Standardized mean differences.

use statrs::function::gamma::ln_gamma;

use super::effect_size::EffectSize;

/// One group's mean, standard deviation and number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GroupMoments {
    pub mean: f64,
    pub sd: f64,
    pub n: f64,
}

/// Cohen's d from the t of two independent groups: `t √(1/n1 + 1/n2)`.
pub fn d_from_t(t: f64, [first, second]: [f64; 2]) -> f64 {
    t * (1.0 / first + 1.0 / second).sqrt()
}

/// Cohen's d from the t of one sample or of differences in pairs: `t / √n`.
pub fn d_from_one_sample_t(t: f64, n: f64) -> f64 {
    t / n.sqrt()
}

/// Cohen's d from means and standard deviations, with the pooled deviation.
pub fn d_from_groups(first: GroupMoments, second: GroupMoments) -> f64 {
    let sum = |group: GroupMoments| (group.n - 1.0) * group.sd * group.sd;
    let variance = (sum(first) + sum(second)) / (first.n + second.n - 2.0);
    (first.mean - second.mean) / variance.sqrt()
}

/// The factor that takes the bias out of Cohen's d:
/// `Γ(df/2) / (√(df/2) Γ((df - 1)/2))`. Source: Hedges (1981), Journal of
/// Educational Statistics 6, 107, equation 6e.
pub fn bias_factor(df: f64) -> f64 {
    if df > 1e5 {
        // The next term is of the order of 1/df², below 1e-10.
        return 1.0 - 0.75 / df;
    }
    (ln_gamma(df / 2.0) - ln_gamma((df - 1.0) / 2.0)).exp() / (df / 2.0).sqrt()
}

/// Hedges' g of two independent groups with its large-sample standard error
/// `√(1/n1 + 1/n2 + g² / (2 (n1 + n2)))`; `None` unless it can be computed.
pub fn hedges_g(d: f64, [first, second]: [f64; 2]) -> Option<EffectSize> {
    let g = bias_factor(first + second - 2.0) * d;
    let variance = 1.0 / first + 1.0 / second + g * g / (2.0 * (first + second));
    EffectSize::new(g, variance.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-8, "{found} for {expected}");
    }

    #[test]
    fn as_metafor_has_it() {
        // metafor 3.8: escalc(measure = "SMD", m1i = 10.2, sd1i = 2.5, n1i = 24, m2i = 8.9, sd2i = 2.1, n2i = 27)
        let group = |mean, sd, n| GroupMoments { mean, sd, n };
        let (first, second) = (group(10.2, 2.5, 24.0), group(8.9, 2.1, 27.0));
        let d = d_from_groups(first, second);
        let g = hedges_g(d, [24.0, 27.0]).unwrap();
        close(g.value, 0.557_375_052_260_507);
        close(g.standard_error, 0.285_918_621_472_109_7);
        // R: t.test of the same summary, equal variances: t = d / sqrt(1/24 + 1/27)
        close(d_from_t(2.017_851_254_626_561, [24.0, 27.0]), d);
    }

    #[test]
    fn the_factor_for_few_and_for_many() {
        // R: exp(lgamma(df/2) - lgamma((df-1)/2)) / sqrt(df/2)
        for (df, expected) in [
            (3.0, 0.723_601_254_558_267_7),
            (20.0, 0.961_944_533_740_748_7),
            (49.0, 0.984_602_177_236_166_5),
            (1000.0, 0.999_249_781_179_716_4),
            (200_000.0, 0.999_996_249_994_531_2),
        ] {
            close(bias_factor(df), expected);
        }
        assert!((bias_factor(99_999.0) - bias_factor(100_001.0)).abs() < 1e-9);
        close(d_from_one_sample_t(2.0, 16.0), 0.5);
        assert_eq!(hedges_g(0.3, [1.0, 1.0]), None);
    }
}
