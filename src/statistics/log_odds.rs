//! Log odds ratios, and other ratios by their logarithms.

use super::effect_size::EffectSize;
use super::intervals::z_of;
use crate::domain::finding::Interval;

/// The logarithm of a ratio with the standard error behind its interval,
/// `(ln upper - ln lower) / 2z`; `None` unless all are positive.
pub fn from_interval(ratio: f64, interval: Interval) -> Option<EffectSize> {
    let width = interval.upper.ln() - interval.lower.ln();
    EffectSize::new(ratio.ln(), width / (2.0 * z_of(interval.level)))
}

/// The logarithm of a ratio that is given with its own standard error, by the
/// delta method; `None` unless the ratio is positive.
pub fn from_ratio(ratio: f64, standard_error: f64) -> Option<EffectSize> {
    EffectSize::new(ratio.ln(), standard_error / ratio)
}

/// The log odds ratio of the counts `[[a, b], [c, d]]`, standard error
/// `√(1/a + 1/b + 1/c + 1/d)`; `None` where a count is zero. Source: Woolf
/// (1955), Annals of Human Genetics 19, 251.
pub fn from_counts([[a, b], [c, d]]: [[f64; 2]; 2]) -> Option<EffectSize> {
    let variance = 1.0 / a + 1.0 / b + 1.0 / c + 1.0 / d;
    EffectSize::new((a * d / (b * c)).ln(), variance.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_metafor_has_it() {
        // metafor 3.8: escalc(measure = "OR", ai = 23, bi = 77, ci = 12, di = 91)
        let found = from_counts([[23.0, 77.0], [12.0, 91.0]]).unwrap();
        let (value, error) = (0.817_641_650_804_315_6, 0.388_313_814_045_962_7);
        let close = |found: EffectSize| {
            (found.value - value).abs() < 1e-8 && (found.standard_error - error).abs() < 1e-8
        };
        assert!(close(found), "{found:?}");
        let bound = |side: f64| (value + side * z_of(0.95) * error).exp();
        let interval = Interval {
            lower: bound(-1.0),
            upper: bound(1.0),
            level: 0.95,
        };
        assert!(close(from_interval(value.exp(), interval).unwrap()));
        assert!(close(from_ratio(value.exp(), value.exp() * error).unwrap()));
    }

    #[test]
    fn what_has_no_logarithm() {
        assert_eq!(from_counts([[0.0, 77.0], [12.0, 91.0]]), None);
        assert_eq!(from_ratio(-0.5, 0.1), None);
        let interval = Interval {
            lower: -0.1,
            upper: 2.0,
            level: 0.95,
        };
        assert_eq!(from_interval(0.9, interval), None);
    }
}
