//! Bayes factors of an effect against none, as natural logarithms.

use super::quadrature::log_integral;

/// The prior scale that the default test calls medium.
pub const MEDIUM: f64 = std::f64::consts::FRAC_1_SQRT_2;

/// The default (JZS) Bayes factor of a t test: a Cauchy prior of the given scale
/// on the standardized effect, Jeffreys' on the variance.
///
/// `n` is the number of pairs or of single observations, or for two groups the
/// effective `n1 n2 / (n1 + n2)`. `None` of numbers that no test has. Source:
/// Rouder, Speckman, Sun, Morey and Iverson (2009), Psychonomic Bulletin and
/// Review 16, 225, equation 1.
pub fn default_t(t: f64, n: f64, df: f64, scale: f64) -> Option<f64> {
    let positive = |value: f64| value.is_finite() && value > 0.0;
    if !t.is_finite() || !positive(n) || !positive(df) || !positive(scale) {
        return None;
    }
    let square = t * t / df;
    let half = (df + 1.0) / 2.0;
    let variance = n * scale * scale;
    // The mixing variance g by its logarithm.
    let density = |log_g: f64| {
        let g = log_g.exp();
        let spread = (variance * g).ln_1p();
        -0.5 * spread - half * (square / (variance * g + 1.0)).ln_1p() - 0.5 * log_g - 0.5 / g
    };
    let marginal = log_integral(density, [-40.0, 80.0])?;
    Some(marginal - 0.5 * (2.0 * std::f64::consts::PI).ln() + half * square.ln_1p())
}

/// The Bayes factor of a z statistic of one sample, with a normal moment prior
/// that has its modes at the standardized effects ±`effect`. Source: Johnson,
/// Pramanik and Shudde (2023), PNAS 120, e2217331120, theorem 1.
pub fn moment_z(z: f64, n: f64, effect: f64) -> f64 {
    let spread = n * effect * effect / 2.0;
    let shrink = spread / (1.0 + spread);
    let square = shrink * z * z;
    -1.5 * spread.ln_1p() + square.ln_1p() + square / 2.0
}

/// The Bayes factor of an F statistic of a linear model, with a gamma prior on
/// the noncentrality that has its mode at `n` times the square of `effect`,
/// Cohen's f. Source: as for [`moment_z`], theorem 4.
pub fn moment_f(f: f64, [numerator, denominator]: [f64; 2], n: f64, effect: f64) -> f64 {
    let spread = n * effect * effect / numerator;
    let shrink = spread / (1.0 + spread);
    let explained = shrink * numerator * f / (denominator + numerator * f);
    -(numerator / 2.0 + 1.0) * spread.ln_1p() + (denominator * explained / numerator).ln_1p()
        - (1.0 + f64::midpoint(numerator, denominator)) * (-explained).ln_1p()
}

/// The largest of a Bayes factor over the effects 0.01, 0.02 ... 1 and none: the
/// strongest support that a statistic gives to any of them, and so never below 0.
pub fn largest(of_effect: impl Fn(f64) -> f64) -> f64 {
    (1..=100)
        .map(|hundredths| of_effect(f64::from(hundredths) / 100.0))
        .fold(0.0, f64::max)
}

/// The Bayes factor of a normal estimate with a normal prior about zero. Of the
/// inverse-variance mean of several estimates it is that of the fixed-effect
/// model against no effect. Source: Gronau, Heck, Berkhout, Haaf and
/// Wagenmakers (2021), Advances in Methods and Practices in Psychological
/// Science 4 (3), fixed-effect hypotheses.
pub fn normal_prior(estimate: f64, standard_error: f64, prior_sd: f64) -> f64 {
    let ratio = (prior_sd / standard_error).powi(2);
    0.5 * ((estimate / standard_error).powi(2) * ratio / (1.0 + ratio) - ratio.ln_1p())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-8, "{found} for {expected}");
    }

    #[test]
    fn the_default_t_test() {
        // The integral in thirty digits (mpmath); BayesFactor 0.9.12's ttest.tstat(t, n) has nine of them.
        for (t, n, expected) in [
            (2.0, 20.0, 0.187_120_524_627_251_8),
            (-0.2, 100.0, -2.181_428_726_297_66),
            (3.5, 30.0, 3.129_279_276_576_707),
            (12.01, 493.0, 59.935_321_744_728_25),
            (0.5, 5.0, -0.820_978_579_788_641_6),
        ] {
            close(default_t(t, n, n - 1.0, MEDIUM).unwrap(), expected);
        }
        // ttest.tstat(2.5, n1 = 20, n2 = 25) and ttest.tstat(2.2, n1 = 50, rscale = "wide")
        let groups = default_t(2.5, 500.0 / 45.0, 43.0, MEDIUM).unwrap();
        close(groups, 1.214_459_858_514_732);
        close(default_t(2.2, 50.0, 49.0, 1.0).unwrap(), 0.067_539_285_530_622_18);
        assert_eq!(default_t(f64::NAN, 20.0, 19.0, MEDIUM), None);
        assert_eq!(default_t(2.0, 20.0, 0.0, MEDIUM), None);
    }

    #[test]
    fn statistics_with_moment_priors() {
        // Likelihoods integrated over the priors in thirty digits (mpmath).
        close(moment_z(2.5, 50.0, 0.3), 2.068_252_831_554_98);
        close(moment_z(-1.2, 200.0, 0.1), -0.137_396_480_014_556_4);
        close(moment_z(4.0, 30.0, 1.0), 6.113_705_638_880_109);
        close(moment_f(7.7, [1.0, 204.0], 206.0, 0.3), 1.260_716_579_403_334);
        close(moment_f(3.1, [2.0, 44.0], 47.0, 0.5), 0.021_639_069_022_560_05);
        close(moment_f(0.4, [3.0, 90.0], 94.0, 0.2), -1.483_626_724_321_484);
        assert_eq!(largest(|effect| moment_z(0.3, 100.0, effect)), 0.0);
    }

    #[test]
    fn a_normal_prior() {
        // Integrated in thirty digits (mpmath); the first is the mean of .28 (.09) and .12 (.04).
        close(
            normal_prior(0.146_391_752_577_319_62, 0.036_552_461_944_810_29, 0.25),
            5.918_774_104_058_448,
        );
        close(normal_prior(0.01, 0.05, 0.25), -1.609_817_499_779_972);
        close(normal_prior(-0.4, 0.1, 0.5), 6.063_259_423_296_951);
    }
}
