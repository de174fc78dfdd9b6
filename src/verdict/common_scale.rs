//! Effects of studies in different units, as Fisher's z of a correlation.
//!
//! A correlation follows from the test of one coefficient: from the t of a
//! regression it is the partial correlation of predictor and outcome. Sources:
//! Rosenthal (1991), Meta-Analytic Procedures for Social Research; Borenstein,
//! Hedges, Higgins and Rothstein (2009), Introduction to Meta-Analysis, chapter 7.

use serde::{Deserialize, Serialize};

use super::correlation_size::{from_correlation, from_groups, from_log_odds, from_statistic};
use super::derive::derive;
use crate::domain::finding::{Direction, Finding};
use crate::domain::scale::Scale;
use crate::statistics::correlation;
use crate::statistics::effect_size::EffectSize;
use crate::statistics::precision::usable_error;

/// One study's effect on the common scale.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CommonEffect {
    /// The correlation, between -1 and 1.
    pub r: f64,
    /// Fisher's z of it.
    pub z: f64,
    /// Standard error of `z`.
    pub standard_error: f64,
    /// The observations that a correlation without controls would need for this
    /// standard error: `1/SE² + 3`.
    pub pairs: f64,
    /// What it was computed from, in words with the numbers.
    pub from: String,
}

/// The reason for which an effect has no place on the common scale.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoCommonScale {
    #[error(
        "`{0}` has a statistic without a sign and neither an estimate nor means of groups that give it one, so it \
         cannot be brought to a common scale."
    )]
    NoSign(String),
    #[error(
        "`{0}` gives neither t with its degrees of freedom, nor z or a correlation with n, nor the means of two \
         groups, nor an odds ratio with its interval, so it cannot be brought to a common scale."
    )]
    TooLittle(String),
}

impl CommonEffect {
    /// The effect of a finding.
    ///
    /// # Errors
    /// Figures from which no signed correlation follows.
    pub fn from_finding(finding: &Finding) -> Result<Self, NoCommonScale> {
        let (filled, _) = derive(finding);
        let too_little = || NoCommonScale::TooLittle(finding.name.clone());
        if filled.scale.is_some_and(Scale::is_ratio)
            && let Some(found) = from_log_odds(&filled).and_then(|(z, from)| Self::from_fisher(z, from))
        {
            return Ok(found);
        }
        if let Some(found) =
            from_correlation(&filled).and_then(|(size, from)| Self::new(size.r, size.free, from))
        {
            return Ok(found);
        }
        let statistic = filled
            .statistic
            .as_ref()
            .and_then(|one| from_statistic(&filled, one));
        let (size, from) = match statistic.or_else(|| from_groups(&filled.groups)) {
            Some(found) => found,
            None => return Err(too_little()),
        };
        let direction = sign(&filled).ok_or_else(|| NoCommonScale::NoSign(finding.name.clone()))?;
        let r = if direction == Direction::Positive {
            size.r
        } else {
            -size.r
        };
        Self::new(r, size.free, from).ok_or_else(too_little)
    }

    /// `free` are the degrees of freedom: observations less two and less the
    /// variables held constant.
    fn new(r: f64, free: f64, from: String) -> Option<Self> {
        let effect = correlation::fisher(r, free + 2.0, 0.0)?;
        Self::from_fisher(effect, from)
    }

    fn from_fisher(effect: EffectSize, from: String) -> Option<Self> {
        usable_error(effect.standard_error).then(|| Self {
            r: effect.value.tanh(),
            z: effect.value,
            standard_error: effect.standard_error,
            pairs: effect.standard_error.powi(-2) + 3.0,
            from,
        })
    }

    /// A finding with this effect as its estimate, in the unit of Fisher's z; its
    /// p-value stays the one that was reported.
    pub fn finding(&self, of: &Finding) -> Finding {
        Finding {
            name: of.name.clone(),
            estimate: Some(self.z),
            standard_error: Some(self.standard_error),
            p_value: of.p_value,
            sides: of.sides,
            n: of.n,
            ..Finding::default()
        }
    }
}

/// Which way a finding points: by its estimate, else its statistic, else by the
/// means of its two groups.
fn sign(finding: &Finding) -> Option<Direction> {
    let null = finding.scale.map_or(0.0, Scale::null);
    let estimate = finding
        .estimate
        .filter(|_| finding.scale != Some(Scale::Unsigned));
    let by_estimate = estimate.and_then(|estimate| Direction::from_value(estimate - null));
    let by_statistic = || {
        let signed = finding.statistic.as_ref().filter(|one| one.is_signed());
        signed.and_then(|one| Direction::from_value(one.value))
    };
    let by_means = || match &finding.groups[..] {
        [first, second] => Direction::from_value(first.mean? - second.mean?),
        _ => None,
    };
    by_estimate.or_else(by_statistic).or_else(by_means)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::finding::{Group, Interval};
    use crate::domain::statistic::{DegreesOfFreedom, Statistic, StatisticKind};

    fn statistic(kind: StatisticKind, value: f64, df: &[f64]) -> Option<Statistic> {
        Some(Statistic {
            kind,
            value,
            df: DegreesOfFreedom(df.to_vec()),
        })
    }

    fn close(finding: &Finding, z: f64, error: f64) {
        let found = CommonEffect::from_finding(finding).unwrap();
        assert!(
            (found.z - z).abs() < 1e-8 && (found.standard_error - error).abs() < 1e-8,
            "{found:?} for {z} and {error}"
        );
        assert!((found.r.atanh() - z).abs() < 1e-8);
    }

    #[test]
    fn as_metafor_has_it() {
        let finding = |kind, value, df: &[f64]| Finding {
            statistic: statistic(kind, value, df),
            ..Finding::default()
        };
        // metafor 3.8, the values of escalc(measure = "ZPCOR", ti = 5.003, ni = 45, mi = 2) and of ti = -sqrt(7.7),
        // ni = 206, mi = 1. Its errors are 1 / √df there; Fisher's, which is that of "ZCOR" without controls, is
        // 1 / √(df - 1).
        close(
            &finding(StatisticKind::T, 5.003, &[42.0]),
            0.710_638_233_158_522_5,
            41_f64.powf(-0.5),
        );
        let f = Finding {
            estimate: Some(-0.3),
            ..finding(StatisticKind::F, 7.7, &[1.0, 204.0])
        };
        close(&f, -0.193_079_089_167_325_7, 203_f64.powf(-0.5));
        // escalc(measure = "ZCOR", ri = .42, ni = 57)
        let r = Finding {
            estimate: Some(0.42),
            scale: Some(Scale::Correlation),
            n: Some(57),
            ..Finding::default()
        };
        close(&r, 0.447_692_023_527_420_7, 0.136_082_763_487_954_3);
        // atanh of escalc(measure = "RPB", m1i = 10.2, sd1i = 2.5, n1i = 24, m2i = 8.9, sd2i = 2.1, n2i = 27)
        let group = |mean, sd, n| Group {
            mean: Some(mean),
            sd: Some(sd),
            n: Some(n),
            ..Group::default()
        };
        let means = Finding {
            groups: vec![group(10.2, 2.5, 24), group(8.9, 2.1, 27)],
            ..Finding::default()
        };
        close(&means, 0.284_414_469_802_271_5, 0.144_337_567_297_406_5);
        // atanh of escalc(measure = "PHI", ai = 23, bi = 77, ci = 12, di = 91)
        let phi = Finding {
            estimate: Some(0.8),
            n: Some(203),
            ..finding(StatisticKind::ChiSquared, 4.580_474_919_093_85, &[1.0])
        };
        close(&phi, 0.151_358_245_376_170_1, 0.070_710_678_118_654_75);
        // R: atanh(z / sqrt(z^2 + n)) and 1 / sqrt(n - 3) of z = -2.4, n = 300
        let z = Finding {
            n: Some(300),
            ..finding(StatisticKind::Z, -2.4, &[])
        };
        close(&z, -0.138_124_447_399_082_6, 0.058_025_885_318_565_94);
    }

    #[test]
    fn an_odds_ratio_goes_by_its_logarithm() {
        let finding = Finding {
            estimate: Some(0.817_641_650_804_315_6_f64.exp()),
            scale: Some(Scale::Ratio),
            interval: Some(Interval {
                lower: (0.817_641_650_804_315_6_f64 - 1.959_963_984_540_054 * 0.388_313_814_045_962_7).exp(),
                upper: (0.817_641_650_804_315_6_f64 + 1.959_963_984_540_054 * 0.388_313_814_045_962_7).exp(),
                level: 0.95,
            }),
            ..Finding::default()
        };
        // metafor 3.8: escalc(measure = "OR2DL", ai = 23, bi = 77, ci = 12, di = 91), from there r = d / sqrt(d^2 + 4)
        // and Fisher's z with the delta method.
        close(&finding, 0.223_528_641_462_032_7, 0.104_424_641_217_838_7);
        let inverse = Finding {
            estimate: Some(0.47),
            interval: Some(Interval {
                lower: 0.3643,
                upper: 0.6064,
                level: 0.95,
            }),
            ..finding
        };
        assert!(CommonEffect::from_finding(&inverse).unwrap().r < -0.15);
    }

    #[test]
    fn an_unsigned_statistic_needs_something_that_points() {
        let unsigned = Finding {
            name: "condition".to_owned(),
            statistic: statistic(StatisticKind::F, 7.7, &[1.0, 204.0]),
            ..Finding::default()
        };
        assert!(matches!(
            CommonEffect::from_finding(&unsigned),
            Err(NoCommonScale::NoSign(_))
        ));
        let group = |mean| Group {
            mean: Some(mean),
            ..Group::default()
        };
        let with_means = |groups| Finding {
            groups,
            ..unsigned.clone()
        };
        let up = CommonEffect::from_finding(&with_means(vec![group(2.0), group(1.0)])).unwrap();
        let down = CommonEffect::from_finding(&with_means(vec![group(1.0), group(2.0)])).unwrap();
        assert!(up.r > 0.0 && down.r == -up.r && up.from == "F(1, 204) = 7.7");
        let omnibus = Finding {
            estimate: Some(1.0),
            statistic: statistic(StatisticKind::F, 7.7, &[2.0, 204.0]),
            ..Finding::default()
        };
        assert!(matches!(
            CommonEffect::from_finding(&omnibus),
            Err(NoCommonScale::TooLittle(_))
        ));
    }

    #[test]
    fn an_estimate_with_its_error_is_enough_where_n_or_df_is_known() {
        let with = |df, n| Finding {
            estimate: Some(-0.599),
            standard_error: Some(0.12),
            df,
            n,
            ..Finding::default()
        };
        let t = CommonEffect::from_finding(&with(Some(42.0), None)).unwrap();
        assert_eq!(t.from, "t(42) = -4.992");
        assert!(t.r < -0.6 && (t.pairs - 44.0).abs() < 1e-9, "{t:?}");
        let z = CommonEffect::from_finding(&with(None, Some(45))).unwrap();
        assert_eq!(z.from, "z = -4.992, n = 45");
        assert!(CommonEffect::from_finding(&with(None, None)).is_err());
    }
}
