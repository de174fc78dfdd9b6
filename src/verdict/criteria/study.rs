//! The estimate of one study, as criteria need it.

use serde::{Deserialize, Serialize};

use crate::domain::finding::{Direction, Finding, PValue};
use crate::domain::scale::Scale;
use crate::domain::statistic::StatisticKind;
use crate::statistics::correlation;
use crate::statistics::distributions::{normal_upper, t_upper};
use crate::statistics::effect_size::EffectSize;
use crate::statistics::power::{self, TestLevel};
use crate::statistics::precision::FindingPrecision as _;
use crate::statistics::precision::{Basis, LARGEST, usable_df, usable_error};

/// One study's estimate of the effect.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct StudyEstimate {
    pub estimate: f64,
    /// Positive, in the estimate's unit.
    pub standard_error: f64,
    /// Units of analysis.
    pub n: Option<u64>,
    /// Degrees of freedom of its t test; normal theory where absent.
    pub df: Option<f64>,
    /// The two-sided p-value as the study itself reports it.
    pub p: Option<PValue>,
    /// Whether the estimate is a correlation, whose intervals end within -1 and 1.
    #[serde(default)]
    pub is_correlation: bool,
}

/// The reason for which a study cannot be compared.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum UnusableStudy {
    #[error("`{0}` has no estimate, so no replication criterion applies; report the focal coefficient.")]
    NoEstimate(String),
    #[error(
        "`{0}` has neither a standard error nor a confidence interval nor an exact p-value, so its \
         precision is unknown; report one of them."
    )]
    NoPrecision(String),
    #[error("The {what} {value} is not usable: give a finite number{hint}.")]
    OutOfRange {
        what: &'static str,
        value: f64,
        hint: &'static str,
    },
}

impl StudyEstimate {
    /// A study from its numbers.
    ///
    /// # Errors
    /// An estimate that is not finite, or a standard error that is not positive.
    pub fn new(estimate: f64, standard_error: f64, n: Option<u64>) -> Result<Self, UnusableStudy> {
        if !(-LARGEST..=LARGEST).contains(&estimate) {
            return Err(UnusableStudy::OutOfRange {
                what: "estimate",
                value: estimate,
                hint: "",
            });
        }
        if !usable_error(standard_error) {
            return Err(UnusableStudy::OutOfRange {
                what: "standard error",
                value: standard_error,
                hint: " above zero",
            });
        }
        Ok(Self {
            estimate,
            standard_error,
            n,
            df: None,
            p: None,
            is_correlation: false,
        })
    }

    /// A study from a finding and its [`Finding::precision`], and what that was
    /// taken from.
    ///
    /// # Errors
    /// A finding without an estimate or without precision, or with a number that
    /// cannot be used.
    pub fn from_finding(finding: &Finding) -> Result<(Self, Basis), UnusableStudy> {
        let estimate = finding
            .estimate
            .ok_or_else(|| UnusableStudy::NoEstimate(finding.name.clone()))?;
        let of_t = || {
            let t = finding
                .statistic
                .as_ref()
                .filter(|one| one.kind == StatisticKind::T)?;
            t.df.last()
        };
        let finding = &Finding {
            df: finding.df.or_else(of_t),
            ..finding.clone()
        };
        if let Some(df) = finding.df.filter(|df| !usable_df(*df)) {
            return Err(out_of_range_df(df));
        }
        let (standard_error, basis) = finding
            .precision()
            .ok_or_else(|| UnusableStudy::NoPrecision(finding.name.clone()))?;
        let study = Self {
            df: finding.df,
            p: finding.p_value.filter(|p| (0.0..=1.0).contains(&p.value)),
            is_correlation: finding.scale == Some(Scale::Correlation),
            ..Self::new(estimate, standard_error, finding.n)?
        };
        Ok((study, basis))
    }

    /// The share of its test's distribution above `statistic`: Student's t where
    /// it has degrees of freedom, else normal.
    pub fn upper_tail(&self, statistic: f64) -> f64 {
        self.df
            .map_or_else(|| normal_upper(statistic), |df| t_upper(statistic, df))
    }

    /// The correlation behind its test, from t and degrees of freedom or else from
    /// z and n, whatever the estimate's unit; `None` where neither is known.
    pub fn correlation(&self) -> Option<EffectSize> {
        correlation::effect_from_t(self.z(), self.freedom()?)
    }

    /// What the correlation behind its test is by: degrees of freedom, else n.
    pub(super) fn freedom(&self) -> Option<f64> {
        self.df.or(self.n.filter(|n| *n > 0).map(|n| n as f64))
    }

    /// Estimate over standard error.
    pub fn z(&self) -> f64 {
        self.estimate / self.standard_error
    }

    /// The estimate's sign; none of zero.
    pub fn direction(&self) -> Option<Direction> {
        Direction::from_value(self.estimate)
    }
}

fn out_of_range_df(value: f64) -> UnusableStudy {
    UnusableStudy::OutOfRange {
        what: "number of degrees of freedom",
        value,
        hint: " above zero, or leave it out where the test is not by t",
    }
}

/// Both studies, and what was fixed in advance.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct StudyPair {
    pub original: StudyEstimate,
    pub replication: StudyEstimate,
    /// Two-sided significance level, such as 0.05.
    pub alpha: f64,
    /// Smallest effect size of interest, positive, in the estimates' unit; only
    /// meaningful when it was preregistered.
    pub sesoi: Option<f64>,
    pub terms: Terms,
}

/// The further numbers of single criteria, as they were published unless the
/// preregistration fixes others.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Terms {
    /// Coverage of intervals; 1 - alpha where absent.
    pub level: Option<f64>,
    /// Error of the one-sided tests of small telescopes and equivalence.
    pub one_sided: f64,
    /// The original's power for an effect that it was too small to see.
    pub power: f64,
    /// Above it a Bayes factor favours an effect, below its inverse none; where
    /// absent, what the rule was published with.
    pub bayes_factor: Option<f64>,
    /// Smallest share of the original's effect that counts as large enough.
    pub least_ratio: Option<f64>,
    /// Largest difference of two correlations that does not matter.
    pub threshold: f64,
}

impl Default for Terms {
    fn default() -> Self {
        Self {
            level: None,
            one_sided: 0.05,
            power: 1.0 / 3.0,
            bayes_factor: None,
            least_ratio: None,
            threshold: 0.2,
        }
    }
}

impl StudyPair {
    /// A pair at level 0.05 without a smallest effect of interest.
    pub fn new(original: StudyEstimate, replication: StudyEstimate) -> Self {
        Self {
            original,
            replication,
            alpha: 0.05,
            sesoi: None,
            terms: Terms::default(),
        }
    }

    /// A pair from two findings, and where each standard error came from.
    ///
    /// # Errors
    /// As [`StudyEstimate::from_finding`], of the first that cannot be used.
    pub fn from_findings(
        original: &Finding,
        replication: &Finding,
    ) -> Result<(Self, [Basis; 2]), UnusableStudy> {
        let (original, first) = StudyEstimate::from_finding(original)?;
        let (replication, second) = StudyEstimate::from_finding(replication)?;
        Ok((Self::new(original, replication), [first, second]))
    }

    /// The correlations behind both tests, the original's first.
    ///
    /// # Errors
    /// A sentence that says why they cannot be compared.
    pub fn correlations(&self) -> Result<[EffectSize; 2], &'static str> {
        if self.original.freedom().is_none() || self.replication.freedom().is_none() {
            return Err(
                "Neither degrees of freedom nor a number of observations are known of both studies, so they \
                 cannot be compared as correlations.",
            );
        }
        match (self.original.correlation(), self.replication.correlation()) {
            (Some(original), Some(replication)) => Ok([original, replication]),
            _ => Err("The studies' tests are too extreme to be compared as correlations."),
        }
    }

    /// The power of the replication's test, at `alpha` and two-sided, for the
    /// original's estimate.
    pub fn power(&self) -> f64 {
        let level = TestLevel {
            alpha: self.alpha,
            two_sided: true,
        };
        power::replication(
            self.original.estimate,
            self.replication.standard_error,
            self.replication.df,
            level,
        )
    }

    /// Coverage of intervals: the one that was fixed, or what goes with `alpha`.
    pub fn level(&self) -> f64 {
        self.terms.level.unwrap_or(1.0 - self.alpha)
    }

    /// Whether both estimates have the same sign; none where the original has none.
    pub fn same_sign(&self) -> Option<bool> {
        let original = self.original.direction()?;
        Some(self.replication.direction() == Some(original))
    }

    /// Standard error of the difference of the two estimates.
    pub fn difference_error(&self) -> f64 {
        self.original
            .standard_error
            .hypot(self.replication.standard_error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::finding::{Interval, Relation};
    use crate::domain::statistic::{DegreesOfFreedom, Statistic};

    #[test]
    fn the_standard_error_is_recovered_in_order() {
        let mut finding = Finding {
            name: "income".into(),
            estimate: Some(-4.1),
            p_value: Some(PValue {
                relation: Relation::Equal,
                value: 0.05,
            }),
            ..Finding::default()
        };
        let (study, basis) = StudyEstimate::from_finding(&finding).unwrap();
        assert_eq!(basis, Basis::PValue);
        assert!((study.z().abs() - 1.959_963_984_540_054).abs() < 1e-9);
        finding.interval = Some(Interval {
            lower: -5.2,
            upper: -3.0,
            level: 0.95,
        });
        let (study, basis) = StudyEstimate::from_finding(&finding).unwrap();
        assert_eq!(basis, Basis::ConfidenceInterval);
        assert!((study.standard_error - 0.561_235).abs() < 1e-5);
        finding.standard_error = Some(0.5);
        assert_eq!(StudyEstimate::from_finding(&finding).unwrap().1, Basis::Reported);
    }

    #[test]
    fn a_pair_names_the_finding_that_cannot_be_used() {
        let whole = Finding {
            name: "income".into(),
            estimate: Some(1.0),
            standard_error: Some(0.5),
            ..Finding::default()
        };
        let (pair, bases) = StudyPair::from_findings(&whole, &whole).unwrap();
        assert_eq!((pair.replication.z(), bases), (2.0, [Basis::Reported; 2]));
        let nameless = Finding {
            name: "trust".into(),
            ..Finding::default()
        };
        let error = StudyPair::from_findings(&whole, &nameless).unwrap_err();
        assert!(error.to_string().contains("`trust` has no estimate"), "{error}");
    }

    #[test]
    fn degrees_of_freedom_that_cannot_be_are_named_and_not_dropped() {
        let finding = |df| Finding {
            name: "income".into(),
            estimate: Some(1.0),
            standard_error: Some(0.5),
            df: Some(df),
            ..Finding::default()
        };
        assert_eq!(
            StudyEstimate::from_finding(&finding(7.5)).unwrap().0.df,
            Some(7.5)
        );
        for df in [0.0, -2.0, f64::NAN, f64::INFINITY] {
            let message = StudyEstimate::from_finding(&finding(df)).unwrap_err().to_string();
            assert!(
                message.contains(&format!("degrees of freedom {df} is not usable")),
                "{message}"
            );
        }
    }

    #[test]
    fn the_degrees_of_a_t_are_those_of_the_study() {
        let finding = Finding {
            estimate: Some(-0.816),
            standard_error: Some(1.0),
            statistic: Some(Statistic {
                kind: StatisticKind::T,
                value: -0.816,
                df: DegreesOfFreedom(vec![16.0]),
            }),
            ..Finding::default()
        };
        let (study, _) = StudyEstimate::from_finding(&finding).unwrap();
        // R: 2 * pt(-.816, 16) = .4265; by the normal curve it would be .4145.
        assert!((2.0 * study.upper_tail(0.816) - 0.4265).abs() < 5e-5, "{study:?}");
    }

    #[test]
    fn unusable_numbers_are_named() {
        let bound = Finding {
            name: "income".into(),
            estimate: Some(1.0),
            p_value: Some(PValue {
                relation: Relation::Less,
                value: 0.001,
            }),
            ..Finding::default()
        };
        let message = StudyEstimate::from_finding(&bound).unwrap_err().to_string();
        assert!(message.contains("`income` has neither"), "{message}");
        assert!(StudyEstimate::new(1.0, 0.0, None).is_err());
        assert!(StudyEstimate::new(f64::NAN, 1.0, None).is_err());
        assert!(StudyEstimate::new(1e300, 1.0, None).is_err());
    }
}
