//! The sceptical p-value: a replication against a sceptic of the original.

use super::distributions::{normal_quantile, normal_upper};

/// The golden ratio, by which the golden form scales the squared z-value: an
/// original just significant is replicated only by an effect at least as large.
const GOLDEN: f64 = 1.618_033_988_749_895;

/// The scaling of the sceptical p-value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scaling {
    /// As first published: Held (2020), Journal of the Royal Statistical Society
    /// A 183, 431.
    Nominal,
    /// Comparable with an ordinary p-value: Held, Micheloud and Pawel (2022),
    /// Annals of Applied Statistics 16, 706.
    Golden,
}

/// The sceptical z-value of two studies, not negative: the root of
/// `(zo²/x - 1)(zr²/x - 1) = c`, with `c` the original's variance over the
/// replication's. `None` where it is no number.
///
/// The root is `H / (1 + √(1 + (c - 1) H / A))` in the arithmetic and harmonic
/// means of the squared z-values, which does not cancel near `c = 1`.
pub fn z_value(original: f64, replication: f64, variance_ratio: f64) -> Option<f64> {
    let (original, replication) = (original.powi(2), replication.powi(2));
    let arithmetic = f64::midpoint(original, replication);
    let harmonic = 2.0 / (1.0 / original + 1.0 / replication);
    let spread = (1.0 + (variance_ratio - 1.0) * (harmonic / arithmetic))
        .max(0.0)
        .sqrt();
    let square = harmonic / (1.0 + spread);
    square.is_finite().then(|| square.sqrt())
}

/// The one-sided p-value in the original's direction; twice that of equal signs
/// is the two-sided one.
pub fn p_value(z: f64, same_sign: bool, scaling: Scaling) -> f64 {
    let tail = match scaling {
        Scaling::Nominal => normal_upper(z),
        Scaling::Golden => normal_upper(z * GOLDEN.sqrt()),
    };
    if same_sign { tail } else { 1.0 - tail }
}

/// The level of the nominal p-value that is the golden one's at `one_sided`.
pub fn golden_level(one_sided: f64) -> f64 {
    normal_upper(normal_quantile(1.0 - one_sided) / GOLDEN.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-8, "{found} for {expected}");
    }

    #[test]
    fn the_examples_of_the_package() {
        // zSceptical(zo = 2, zr = 3, c = 2) of ReplicationSuccess and the reverse, by
        // the quadratic in thirty digits (mpmath); then pSceptical one-sided of
        // p = .01 and .02, c = 2.
        close(z_value(2.0, 3.0, 2.0).unwrap(), 1.531_634_096_798_927_5);
        close(z_value(3.0, 2.0, 2.0).unwrap(), 1.531_634_096_798_927_5);
        let z = z_value(2.326_347_874_040_841, 2.053_748_910_631_823, 2.0).unwrap();
        close(p_value(z, true, Scaling::Nominal), 0.080_321_077_814_295_77);
        close(p_value(z, true, Scaling::Golden), 0.037_168_339_172_451_93);
        let equal = z_value(2.5, 2.5, 1.0).unwrap();
        close(
            p_value(equal, false, Scaling::Nominal),
            1.0 - 0.038_549_935_871_770_88,
        );
        close(golden_level(0.025), 0.061_679_279_352_183_3);
        assert_eq!(z_value(f64::NAN, 1.0, 1.0), None);
    }

    #[test]
    fn a_just_significant_original_needs_as_large_an_effect() {
        // Equal effects mean z-values in the ratio of the standard errors.
        let original = normal_quantile(0.975);
        for ratio in [0.5, 1.0, 4.0, 1e6] {
            let replication = |share: f64| share * original * f64::sqrt(ratio);
            let p = |share| {
                let z = z_value(original, replication(share), ratio).unwrap();
                p_value(z, true, Scaling::Golden)
            };
            assert!(p(0.999) > 0.025, "{ratio}");
        }
        let large = z_value(original, original * 1e4, 1e8).unwrap();
        close(p_value(large, true, Scaling::Golden), 0.025);
    }
}
