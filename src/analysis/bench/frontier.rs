//! Success against cost, and who is not beaten at both.

use serde::Serialize;

use super::cell::TaskKind;
use super::figures::CellFigures;
use crate::domain::finding::Interval;

/// An agent's mean cost and its success.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CostPoint {
    pub name: String,
    /// US dollars a cell, over those whose cost is known.
    pub cost: f64,
    /// Between 0 and 1.
    pub share: f64,
    pub interval: Option<Interval>,
    /// No other agent costs at most as much and succeeds at least as often, with one of the two better.
    pub is_on_frontier: bool,
}

/// The agents of a kind whose cost and success are known, by cost.
pub fn frontier(figures: &[CellFigures], kind: TaskKind) -> Vec<CostPoint> {
    let known = figures.iter().filter(|one| one.kind == kind).filter_map(|one| {
        Some(CostPoint {
            name: one.name.clone(),
            cost: one.cost.mean?,
            share: one.success.share()?,
            interval: one.success.interval,
            is_on_frontier: false,
        })
    });
    let mut points: Vec<CostPoint> = known.collect();
    points.sort_by(|one, other| {
        one.cost
            .total_cmp(&other.cost)
            .then(other.share.total_cmp(&one.share))
    });
    let on: Vec<bool> = points
        .iter()
        .map(|point| !points.iter().any(|other| other.beats(point)))
        .collect();
    for (point, on) in points.iter_mut().zip(on) {
        point.is_on_frontier = on;
    }
    points
}

impl CostPoint {
    fn beats(&self, other: &Self) -> bool {
        let is_no_worse = self.cost <= other.cost && self.share >= other.share;
        is_no_worse && (self.cost < other.cost || self.share > other.share)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_beaten_at_both_is_off_the_frontier() {
        let point = |cost, share| CostPoint {
            name: String::new(),
            cost,
            share,
            interval: None,
            is_on_frontier: false,
        };
        assert!(point(1.0, 0.5).beats(&point(2.0, 0.5)));
        assert!(point(1.0, 0.6).beats(&point(1.0, 0.5)));
        assert!(!point(1.0, 0.5).beats(&point(1.0, 0.5)));
        assert!(!point(1.0, 0.4).beats(&point(2.0, 0.5)));
    }
}
