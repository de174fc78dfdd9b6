//! The unit of a forest plot's axis, and where each finding stands on it.

use crate::domain::finding::Finding;
use crate::report::common_pair::CommonPair;
use crate::report::view::View;
use crate::verdict::common_scale::CommonEffect;

use super::place::{Place, apart, prediction, raw, standardised};

/// Further findings that are drawn.
pub const OTHERS: usize = 8;

/// What the axis measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// The estimates' own unit.
    Own,
    /// Fisher's z of a correlation.
    Common,
    /// Each estimate in its own standard errors.
    Error,
}

impl Unit {
    /// The axis's label.
    pub fn axis(self) -> &'static str {
        match self {
            Self::Own => "estimate with 95% interval",
            Self::Common => "Fisher's z of the correlation, with 95% interval",
            Self::Error => "estimate ÷ its standard error (z), with ± 1.96",
        }
    }
}

/// The findings in the unit of the axis.
#[derive(Debug)]
pub struct Drawn {
    pub unit: Unit,
    /// Original and replication.
    pub focal: [Option<Place>; 2],
    /// Their correlations, where the axis is of these.
    pub effects: [Option<f64>; 2],
    pub others: Vec<Option<Place>>,
    /// Where the replication's estimate is expected, given the original.
    pub predicted: Option<(f64, f64)>,
    /// Why this axis, where it is the common scale.
    pub why: Option<String>,
}

impl Drawn {
    /// On one axis in their own unit where it is `shared`; else as correlations
    /// where both are known, else in standard errors.
    pub fn of(view: &View, common: Option<&CommonPair>, shared: bool) -> Self {
        let findings = &view.findings;
        let (original, replication) = (findings.original.as_ref(), findings.replication.as_ref());
        let others = findings.others.iter().take(OTHERS);
        if let Some(pair) = common
            && let (Some(first), Some(second)) = (original, replication)
        {
            let (one, other) = (pair.original.finding(first), pair.replication.finding(second));
            let place = |finding: &Finding| raw(&CommonEffect::of(finding).ok()?.finding(finding));
            let apart = apart(original, replication, &findings.scale)
                .unwrap_or_else(|| "An estimate lacks an interval in its own unit".to_owned());
            return Self {
                unit: Unit::Common,
                focal: [raw(&one), raw(&other)],
                effects: [Some(pair.original.r), Some(pair.replication.r)],
                others: others.map(place).collect(),
                predicted: prediction(&one, &other),
                why: Some(format!(
                    "{apart}, so both are drawn as correlations on the scale of Fisher's z: the original from {}, the \
                     replication from {}.",
                    pair.original.from, pair.replication.from
                )),
            };
        }
        let place: fn(&Finding) -> Option<Place> = if shared { raw } else { standardised };
        let predicted = || prediction(original?, replication?);
        Self {
            unit: if shared { Unit::Own } else { Unit::Error },
            focal: [original.and_then(place), replication.and_then(place)],
            effects: [None, None],
            others: others.map(place).collect(),
            predicted: if shared { predicted() } else { None },
            why: None,
        }
    }
}
