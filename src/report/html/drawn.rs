//! The unit of a forest plot's axis, and where each finding stands on it.

use crate::domain::criterion::Criterion;
use crate::domain::finding::Finding;
use crate::grading::criteria::common_pair::CommonPair;
use crate::report::view::View;
use crate::verdict::common_scale::CommonEffect;

use super::logged::OnAxis;
use crate::grading::criteria::shared_axis::{
    AxisInterval, NO_INTERVAL, apart, prediction, raw, settled, standardised,
};

/// Further findings that are drawn.
pub const OTHERS: usize = 8;

/// The unit of the axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// The estimates' own unit.
    Own,
    /// Fisher's z of a correlation.
    Common,
    /// The logarithm of ratios.
    Logged,
    /// Each estimate in its own standard errors.
    Error,
}

impl Unit {
    /// Whether the figures of the axis are those that the studies report.
    pub fn is_as_reported(self) -> bool {
        matches!(self, Self::Own | Self::Logged)
    }

    /// The axis's label.
    pub fn axis(self) -> &'static str {
        match self {
            Self::Own => "estimate with 95% interval",
            Self::Common => "Fisher's z of the correlation, with 95% interval",
            Self::Logged => "ratio, on a logarithmic scale, with 95% interval",
            Self::Error => "estimate ÷ its standard error (z), with ± 1.96",
        }
    }
}

/// The findings in the unit of the axis.
#[derive(Debug)]
pub struct Drawn {
    pub unit: Unit,
    /// Original and replication.
    pub focal: [Option<AxisInterval>; 2],
    /// Their correlations, where the axis is of these.
    pub effects: [Option<f64>; 2],
    pub others: Vec<Option<AxisInterval>>,
    /// Where the replication's estimate is expected, given the original.
    pub predicted: Option<(f64, f64)>,
    /// Why this axis, where it is the common scale.
    pub why: Option<String>,
}

impl Drawn {
    /// On one axis in their own unit where it is `shared`; else as correlations
    /// where both are known, else in standard errors.
    pub fn new(view: &View, on_axis: &OnAxis, common: Option<&CommonPair>, shared: bool) -> Self {
        let findings = &view.findings;
        let criterion = view.verdict.criterion.as_ref();
        let independent = !criterion.is_some_and(Criterion::is_on_same_observations);
        if let Some(pair) = common
            && let (Some(first), Some(second)) = (findings.original.as_ref(), findings.replication.as_ref())
        {
            let (one, other) = (pair.original.finding(first), pair.replication.finding(second));
            let place = |finding: &Finding| raw(&CommonEffect::from_finding(finding).ok()?.finding(finding));
            let moved = &on_axis.findings;
            let units = settled(
                moved.original.as_ref(),
                moved.replication.as_ref(),
                &findings.scale,
            );
            let apart = apart(&units).unwrap_or_else(|| NO_INTERVAL.to_owned());
            return Self {
                unit: Unit::Common,
                focal: [raw(&one), raw(&other)],
                effects: [Some(pair.original.r), Some(pair.replication.r)],
                others: findings.others.iter().take(OTHERS).map(place).collect(),
                predicted: prediction(&one, &other).filter(|_| independent),
                why: Some(format!(
                    "{apart}, so both are drawn as correlations on the scale of Fisher's z: the original from {}, the \
                     replication from {}.",
                    pair.original.from, pair.replication.from
                )),
            };
        }
        let findings = &on_axis.findings;
        let (original, replication) = (findings.original.as_ref(), findings.replication.as_ref());
        let place: fn(&Finding) -> Option<AxisInterval> = if shared { raw } else { standardised };
        let predicted = || prediction(original?, replication?);
        Self {
            unit: match shared {
                true if on_axis.is_logged => Unit::Logged,
                true => Unit::Own,
                false => Unit::Error,
            },
            focal: [original.and_then(place), replication.and_then(place)],
            effects: [None, None],
            others: findings.others.iter().take(OTHERS).map(place).collect(),
            predicted: if shared && independent { predicted() } else { None },
            why: None,
        }
    }
}
