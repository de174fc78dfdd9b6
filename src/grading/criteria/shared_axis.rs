//! The axis that two findings share: their own units, or their standard errors.

use crate::domain::finding::{Direction, Finding, Interval, Relation};
use crate::domain::format;
use crate::grading::criteria::scale::ScaleRelation;
use crate::statistics::distributions::normal_quantile;
use crate::statistics::precision::FindingPrecision as _;

/// The normal quantile of a two-sided 95 % interval.
pub const Z95: f64 = 1.959_963_984_540_054;
/// Reaches that differ by more than this factor cannot share an axis.
const LEGIBLE: f64 = 20.0;

/// An estimate with its ends, in the axis's units.
#[derive(Debug, Clone, Copy)]
pub struct AxisInterval {
    pub point: f64,
    pub lower: f64,
    pub upper: f64,
}

/// The axis of both estimates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedAxis {
    /// Whether both stand on it in their own units.
    pub own_units: bool,
    /// One sentence.
    pub why: String,
}

/// The axis of both estimates: one in their own units or none, and why.
pub fn share_axis(
    original: Option<&Finding>,
    replication: Option<&Finding>,
    scale: &ScaleRelation,
) -> SharedAxis {
    const INSTEAD: &str = "each estimate is divided by its own standard error, and the bars are ± 1.96. \
        This compares how far each estimate is from zero, not how large the effects are.";
    if let Some(apart) = apart(&settled(original, replication, scale)) {
        return SharedAxis {
            own_units: false,
            why: format!("{apart}, so {INSTEAD}"),
        };
    }
    let (own_units, why) = match scale {
        ScaleRelation::Same => (true, "Both estimates are in the same units.".to_owned()),
        _ => match [original, replication].map(reach) {
            [Some(_), Some(_)] => (
                true,
                "The axis shows both estimates as they were reported.".to_owned(),
            ),
            [None, None] => (
                false,
                format!("No interval in a study's own units is known, so {INSTEAD}"),
            ),
            _ => (
                true,
                "Only one study has an estimate with an interval.".to_owned(),
            ),
        },
    };
    SharedAxis { own_units, why }
}

/// Why two estimates are not drawn in their own units though these may be the same, as the
/// beginning of a sentence.
pub const NO_INTERVAL: &str = "One estimate has no interval in its own unit";

/// Why two estimates are not in the same units, as the beginning of a sentence;
/// `None` if they may be.
pub fn apart(settled: &ScaleRelation) -> Option<String> {
    match settled {
        ScaleRelation::Different { why } => Some(format!(
            "The two studies measure in different units ({})",
            why.trim().trim_end_matches('.')
        )),
        ScaleRelation::ProbablyDifferent => Some(
            "The two estimates differ so much in size that they are probably in different units".to_owned(),
        ),
        ScaleRelation::Same | ScaleRelation::Unknown => None,
    }
}

/// The scale as it is known, or as the sizes of the estimates let it be guessed.
pub fn settled(
    original: Option<&Finding>,
    replication: Option<&Finding>,
    scale: &ScaleRelation,
) -> ScaleRelation {
    match (scale, [original, replication].map(reach)) {
        (ScaleRelation::Unknown, [Some(one), Some(other)]) if one.max(other) > LEGIBLE * one.min(other) => {
            ScaleRelation::ProbablyDifferent
        }
        _ => scale.clone(),
    }
}

/// How far from zero a finding's interval reaches.
fn reach(finding: Option<&Finding>) -> Option<f64> {
    let place = raw(finding?)?;
    Some(place.lower.abs().max(place.upper.abs()))
}

/// A finding with its 95 % interval in its own units.
pub fn raw(finding: &Finding) -> Option<AxisInterval> {
    let point = finding.estimate.filter(|estimate| estimate.is_finite())?;
    let interval = finding
        .interval95()
        .or_else(|| {
            let half = match finding.df {
                Some(_) => finding.quantile(0.975),
                None => Z95,
            } * standard_error(finding)?;
            Some(Interval {
                lower: point - half,
                upper: point + half,
                level: 0.95,
            })
        })
        .filter(|interval| {
            interval.lower.is_finite() && interval.upper.is_finite() && interval.lower <= interval.upper
        })?;
    Some(AxisInterval {
        point,
        lower: interval.lower,
        upper: interval.upper,
    })
}

/// A finding in its standard errors, with ± 1.96.
pub fn standardised(finding: &Finding) -> Option<AxisInterval> {
    let point = finding.estimate? / standard_error(finding)?;
    point.is_finite().then_some(AxisInterval {
        point,
        lower: point - Z95,
        upper: point + Z95,
    })
}

fn standard_error(finding: &Finding) -> Option<f64> {
    let (error, _) = finding.precision()?;
    (error.is_finite() && error > 0.0).then_some(error)
}

/// The 95 % prediction interval for the replication's estimate.
pub fn prediction(original: &Finding, replication: &Finding) -> Option<(f64, f64)> {
    let centre = original.estimate?;
    let half = Z95 * standard_error(original)?.hypot(standard_error(replication)?);
    half.is_finite().then_some((centre - half, centre + half))
}

/// Why a finding has no place on the axis, and what is known of it all the same.
pub fn undrawn(finding: &Finding) -> String {
    let bound = finding
        .p_value
        .filter(|p| p.relation == Relation::Less && p.value > 0.0 && p.value < 1.0);
    match (finding.estimate.and_then(Direction::from_value), bound) {
        (Some(direction), Some(bound)) => {
            let z = -normal_quantile(bound.value / 2.0);
            let (sign, at) = match direction {
                Direction::Positive => (z, "at least"),
                Direction::Negative => (-z, "at most"),
            };
            format!(
                "no standard error; z is {at} {} by {}",
                format::estimate(sign),
                format::p_value(bound)
            )
        }
        _ => "estimate or standard error not reported".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use crate::domain::finding::PValue;
    use crate::grading::criteria::shared_axis::*;

    #[test]
    fn a_standard_error_follows_from_an_interval_or_a_p_value() {
        let interval = Finding {
            estimate: Some(2.0),
            interval: Some(Interval {
                lower: 2.0 - 1.644_853_626_951,
                upper: 2.0 + 1.644_853_626_951,
                level: 0.9,
            }),
            ..Finding::default()
        };
        assert!((standard_error(&interval).unwrap() - 1.0).abs() < 1e-6);
        let mut p = Finding {
            estimate: Some(-1.959_963_984_54),
            p_value: Some(PValue {
                relation: Relation::Equal,
                value: 0.05,
            }),
            ..Finding::default()
        };
        assert!((standard_error(&p).unwrap() - 1.0).abs() < 1e-6);
        p.p_value = Some(PValue {
            relation: Relation::Less,
            value: 0.05,
        });
        assert_eq!(standard_error(&p), None);
    }
}
