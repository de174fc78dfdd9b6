//! Original and replication on one scale, before anything is computed from both:
//! ratios are logged on both sides, so that no effect is zero.

use crate::domain::finding::Finding;
use crate::domain::scale::{RatioKind, Scale};
use crate::statistics::precision::is_midpoint;

use super::additive::additive;

/// Both findings, their ratios logged.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OneScale {
    pub original: Option<Finding>,
    pub replication: Option<Finding>,
    /// True if one of them is the logarithm of a ratio that was given.
    pub is_logged: bool,
    /// Why the two are in different units; none if they may be in one.
    pub apart: Option<UnitsApart>,
}

/// Two units that are known to differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum UnitsApart {
    /// Two kinds of ratio, which no conversion brings together.
    #[error("original {}, replication {}", .0.name(), .1.name())]
    Ratios(RatioKind, RatioKind),
    /// A ratio and something else.
    #[error("original on the scale {0}, replication on the scale {1}")]
    Scales(Scale, Scale),
}

impl OneScale {
    /// Both findings; `planned` is the scale that the plan gives the replication, also one that is still to come.
    pub fn new(original: Option<&Finding>, replication: Option<&Finding>, planned: Option<Scale>) -> Self {
        let second = replication.map(|one| scale_of(one, planned));
        let supposed = second.or(planned).filter(|scale| scale.is_ratio());
        let first = original.map(|one| scale_of(one, supposed));
        let kind = |one: &Finding| one.ratio.or_else(|| RatioKind::from_words(&one.name));
        let kinds = original.and_then(kind).zip(replication.and_then(kind));
        let apart = match (kinds, first.zip(second)) {
            (Some((one, other)), _) if one != other => Some(UnitsApart::Ratios(one, other)),
            (_, Some((one, other))) if one.is_ratio() != other.is_ratio() => {
                Some(UnitsApart::Scales(one, other))
            }
            _ => None,
        };
        Self {
            original: original.zip(first).map(|(one, scale)| moved(one, scale)),
            replication: replication.zip(second).map(|(one, scale)| moved(one, scale)),
            is_logged: [first, second].contains(&Some(Scale::Ratio)),
            apart,
        }
    }
}

/// The scale of a finding: its own, that of its name, a ratio if its interval is even in
/// logarithms alone, else the one that is supposed.
fn scale_of(finding: &Finding, supposed: Option<Scale>) -> Scale {
    finding
        .scale
        .or_else(|| Scale::from_words(&finding.name))
        .or_else(|| is_even_in_logarithms(finding).then_some(Scale::Ratio))
        .or(supposed)
        .unwrap_or_default()
}

fn is_even_in_logarithms(finding: &Finding) -> bool {
    let (Some(estimate), Some(interval)) = (finding.estimate, finding.interval) else {
        return false;
    };
    interval.lower > 0.0
        && estimate > 0.0
        && !is_midpoint(estimate, interval, |value| value)
        && is_midpoint(estimate, interval, f64::ln)
}

/// The finding with a ratio as its logarithm; one that is not above zero has no place.
fn moved(finding: &Finding, scale: Scale) -> Finding {
    match scale {
        Scale::Ratio => additive(finding, Scale::Ratio, None).unwrap_or_else(|_| Finding {
            estimate: None,
            interval: None,
            ..finding.clone()
        }),
        Scale::LogRatio => Finding {
            scale: Some(Scale::LogRatio),
            ..finding.clone()
        },
        _ => finding.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::finding::{Interval, PValue, Relation};
    use crate::domain::rule::Rule;
    use crate::verdict::criteria::assess::apply;
    use crate::verdict::criteria::study::StudyPair;

    fn ratio(estimate: f64, lower: f64, upper: f64) -> Finding {
        Finding {
            estimate: Some(estimate),
            scale: Some(Scale::Ratio),
            interval: Some(Interval {
                lower,
                upper,
                level: 0.95,
            }),
            ..Finding::default()
        }
    }

    fn logarithm(estimate: f64) -> Finding {
        Finding {
            estimate: Some(estimate),
            scale: Some(Scale::LogRatio),
            ..Finding::default()
        }
    }

    fn pair(original: &Finding, replication: &Finding) -> StudyPair {
        let both = OneScale::new(Some(original), Some(replication), None);
        assert_eq!((both.is_logged, both.apart), (true, None));
        StudyPair::from_findings(&both.original.unwrap(), &both.replication.unwrap())
            .unwrap()
            .0
    }

    #[test]
    fn a_published_ratio_is_logged_before_it_meets_a_logarithm() {
        let replication = Finding {
            standard_error: Some(0.38),
            ..logarithm(-1.64)
        };
        // ln .45 = -.7985, SE (ln .70 - ln .28) / (2 × 1.96) = .2338; Q = (.8415 / .4461)² = 3.558, p .0593.
        for named in [Some(Scale::Ratio), None] {
            let original = Finding {
                scale: named,
                ..ratio(0.45, 0.28, 0.70)
            };
            let pair = pair(&original, &replication);
            assert!(
                (pair.original.estimate - 0.45_f64.ln()).abs() < 1e-12,
                "{named:?}"
            );
            assert!((pair.original.standard_error - 0.233_75).abs() < 1e-4);
            let heterogeneity = apply(Rule::Heterogeneity, &pair);
            assert!(
                (heterogeneity.value.unwrap() - 0.0593).abs() < 5e-4 && heterogeneity.decision == Some(true),
                "{heterogeneity:?}"
            );
            assert_eq!(apply(Rule::PredictionInterval, &pair).decision, Some(true));
            assert!((apply(Rule::EffectRatio, &pair).value.unwrap() - 2.054).abs() < 1e-3);
        }
    }

    #[test]
    fn pooled_logarithms_are_not_pooled_with_a_ratio() {
        let original = ratio(1.05, 0.80, 1.38);
        let replication = Finding {
            p_value: Some(PValue {
                relation: Relation::Equal,
                value: 0.064,
            }),
            ..logarithm(0.335)
        };
        let pair = pair(&original, &replication);
        // SE of the replication .335 / 1.8522 = .1809; pooled .1551, SE .1103, p .16.
        let pooled = apply(Rule::MetaAnalytic, &pair);
        let interval = pooled.interval.unwrap();
        assert!((f64::midpoint(interval.lower, interval.upper) - 0.155).abs() < 5e-4);
        assert!((pooled.value.unwrap() - 0.16).abs() < 2e-3, "{pooled:?}");
        assert_eq!(pooled.decision, Some(false));
    }

    #[test]
    fn two_kinds_of_ratio_are_two_units() {
        let with = |finding: Finding, ratio| Finding {
            ratio: Some(ratio),
            ..finding
        };
        for (first, second) in [
            (RatioKind::Odds, RatioKind::Hazard),
            (RatioKind::Risk, RatioKind::Odds),
            (RatioKind::Rate, RatioKind::Risk),
        ] {
            let both = OneScale::new(
                Some(&with(ratio(1.5, 1.2, 1.9), first)),
                Some(&with(logarithm(0.4), second)),
                None,
            );
            assert_eq!(both.apart, Some(UnitsApart::Ratios(first, second)));
        }
        let named = Finding {
            name: "treat (hazard ratio)".to_owned(),
            ..ratio(1.5, 1.2, 1.9)
        };
        let both = OneScale::new(Some(&named), Some(&with(logarithm(0.4), RatioKind::Hazard)), None);
        assert_eq!(both.apart, None);
    }

    #[test]
    fn odd_numbers_give_no_logarithm_and_no_panic() {
        for estimate in [0.0, -0.4, f64::NAN, f64::INFINITY] {
            let both = OneScale::new(Some(&ratio(estimate, 0.2, 0.9)), Some(&logarithm(0.1)), None);
            let moved = both.original.unwrap();
            assert!(
                moved
                    .estimate
                    .is_none_or(|value| !value.is_finite() || value.abs() < 1e-300),
                "{moved:?}"
            );
        }
        // A difference stays what it is next to a ratio, and the two are not compared.
        let difference = Finding {
            estimate: Some(-0.2),
            ..Finding::default()
        };
        let both = OneScale::new(Some(&ratio(0.45, 0.28, 0.70)), Some(&difference), None);
        assert_eq!(both.replication, Some(difference.clone()));
        assert_eq!(
            both.apart,
            Some(UnitsApart::Scales(Scale::Ratio, Scale::Difference))
        );
        assert_eq!(OneScale::new(None, Some(&difference), None).apart, None);
        // Even around its estimate as it stands: no ratio, though all is positive.
        let even = Finding {
            scale: None,
            ..ratio(2.0, 1.0, 3.0)
        };
        assert!(!OneScale::new(Some(&even), None, None).is_logged);
    }
}
