//! Effects on common scales, and one scale from another.

use std::f64::consts::PI;

use serde::{Deserialize, Serialize};

/// An effect with its standard error, on a scale that its maker names.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct EffectSize {
    pub value: f64,
    pub standard_error: f64,
}

impl EffectSize {
    /// An effect; `None` unless it is finite and its standard error positive.
    pub fn new(value: f64, standard_error: f64) -> Option<Self> {
        let usable = value.is_finite() && standard_error.is_finite() && standard_error > 0.0;
        usable.then_some(Self {
            value,
            standard_error,
        })
    }

    /// A log odds ratio as a standardized difference: `× √3 / π`. Source:
    /// Borenstein, Hedges, Higgins and Rothstein (2009),
    /// Introduction to Meta-Analysis, equations 7.1 to 7.4.
    pub fn log_odds_to_d(self) -> Self {
        self.times(3.0_f64.sqrt() / PI)
    }

    /// A standardized difference of groups of these sizes as a correlation:
    /// `d / √(d² + a)` with `a = (n1 + n2)² / (n1 n2)`, which is 4 for equal
    /// groups. Source: as above, equations 7.7 to 7.9.
    pub fn d_to_r(self, [first, second]: [f64; 2]) -> Option<Self> {
        let a = (first + second).powi(2) / (first * second);
        let sum = self.value * self.value + a;
        Self::new(self.value / sum.sqrt(), a * self.standard_error / sum.powf(1.5))
    }

    /// A correlation by Fisher's transformation, the standard error by the delta
    /// method; `None` at ±1.
    pub fn r_to_fisher(self) -> Option<Self> {
        Self::new(
            self.value.atanh(),
            self.standard_error / (1.0 - self.value * self.value),
        )
    }

    fn times(self, factor: f64) -> Self {
        Self {
            value: factor * self.value,
            standard_error: factor * self.standard_error,
        }
    }
}

/// The mean of independent effects on one scale, weighted by inverse variance
/// (the fixed-effect model); `None` of none.
pub fn pooled(effects: &[EffectSize]) -> Option<EffectSize> {
    let weight = |effect: &EffectSize| effect.standard_error.powi(-2);
    let total: f64 = effects.iter().map(weight).sum();
    let sum: f64 = effects.iter().map(|effect| weight(effect) * effect.value).sum();
    EffectSize::new(sum / total, total.powf(-0.5))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: EffectSize, value: f64, error: f64, within: f64) {
        assert!(
            (found.value - value).abs() < within && (found.standard_error - error).abs() < within,
            "{found:?} for {value} and {error}"
        );
    }

    fn effect(value: f64, variance: f64) -> EffectSize {
        EffectSize::new(value, variance.sqrt()).unwrap()
    }

    #[test]
    fn the_examples_of_the_book() {
        // Borenstein et al. (2009), chapter 7: values and variances, from rounded ones.
        let book = |found: EffectSize, value: f64, variance: f64| {
            let squared = found.standard_error.powi(2);
            assert!(
                (found.value - value).abs() < 1e-4 && (squared - variance).abs() < 2e-4,
                "{found:?}"
            );
        };
        book(effect(0.9069, 0.0676).log_odds_to_d(), 0.5000, 0.0205);
        book(
            effect(1.1547, 0.0550).d_to_r([100.0, 100.0]).unwrap(),
            0.5000,
            0.0058,
        );
    }

    #[test]
    fn as_metafor_has_it() {
        // metafor 3.8: escalc(measure = "OR2DL", ai = 23, bi = 77, ci = 12, di = 91) from its log odds ratio.
        let log_odds = EffectSize::new(0.817_641_650_804_315_6, 0.388_313_814_045_962_7).unwrap();
        close(
            log_odds.log_odds_to_d(),
            0.450_789_468_188_794,
            0.214_088_626_174_983_8,
            1e-12,
        );
        // metafor 3.8: rma(yi = c(.28, .12), sei = c(.09, .04), method = "FE")
        let pair = [(0.28, 0.09), (0.12, 0.04)].map(|(value, error)| EffectSize::new(value, error).unwrap());
        close(
            pooled(&pair).unwrap(),
            0.146_391_752_577_319_62,
            0.036_552_461_944_810_29,
            1e-12,
        );
        assert_eq!(pooled(&[]), None);
    }

    #[test]
    fn what_has_no_other_scale() {
        assert_eq!(effect(-1.0, 0.01).r_to_fisher(), None);
        assert_eq!(EffectSize::new(0.1, 0.0), None);
    }
}
