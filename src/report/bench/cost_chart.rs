//! The chart of success against cost.

use serde::Serialize;

use crate::analysis::bench::frontier::CostPoint;

/// The plane of the chart, in the units of its drawing.
const LEFT: f64 = 48.0;
const RIGHT: f64 = 620.0;
const TOP: f64 = 16.0;
const BOTTOM: f64 = 240.0;
/// What a scale keeps free at its right end.
const ROOM: f64 = 1.15;

/// The drawing of success against cost.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CostChart {
    pub points: Vec<DrawnPoint>,
    /// The corners of the frontier's stairs, as an SVG list of points.
    pub frontier: String,
    /// Labels of the cost's axis and where they stand.
    pub costs: Vec<(f64, String)>,
    /// Labels of the shares' axis and where they stand.
    pub shares: Vec<(f64, String)>,
}

/// An agent in the chart.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DrawnPoint {
    pub point: CostPoint,
    pub x: f64,
    pub y: f64,
    /// The ends of its interval.
    pub upper: f64,
    pub lower: f64,
    /// Whether its name stands to its left.
    pub is_left: bool,
}

impl CostChart {
    /// The chart of at least two agents; `None` of fewer, or where nothing costs anything.
    pub fn new(points: Vec<CostPoint>) -> Option<Self> {
        let most = points.iter().map(|point| point.cost).fold(0.0, f64::max) * ROOM;
        if points.len() < 2 || most <= 0.0 || !most.is_finite() {
            return None;
        }
        let x = |cost: f64| LEFT + (RIGHT - LEFT) * cost / most;
        let y = |share: f64| BOTTOM - (BOTTOM - TOP) * share;
        let mut corners: Vec<(f64, f64)> = Vec::new();
        for point in points.iter().filter(|point| point.is_on_frontier) {
            if let Some(&(_, before)) = corners.last() {
                corners.push((x(point.cost), before));
            }
            corners.push((x(point.cost), y(point.share)));
        }
        if let Some(&(_, last)) = corners.last() {
            corners.push((RIGHT, last));
        }
        let corners: Vec<String> = corners.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let ticks = [0.0, 0.25, 0.5, 0.75, 1.0];
        Some(Self {
            frontier: corners.join(" "),
            costs: ticks
                .map(|part| (x(part * most), dollars(part * most, most)))
                .into(),
            shares: ticks
                .map(|part| (y(part), format!("{:.0}%", part * 100.0)))
                .into(),
            points: points
                .into_iter()
                .map(|point| DrawnPoint {
                    x: x(point.cost),
                    y: y(point.share),
                    upper: y(point.interval.map_or(point.share, |interval| interval.upper)),
                    lower: y(point.interval.map_or(point.share, |interval| interval.lower)),
                    is_left: point.cost > most * 0.6,
                    point,
                })
                .collect(),
        })
    }
}

/// An amount with as many digits as the scale needs.
fn dollars(amount: f64, most: f64) -> String {
    let digits = (2.0 - most.log10().floor()).clamp(0.0, 6.0) as usize;
    format!("${amount:.digits$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(name: &str, cost: f64, share: f64, is_on_frontier: bool) -> CostPoint {
        CostPoint {
            name: name.to_owned(),
            cost,
            share,
            interval: None,
            is_on_frontier,
        }
    }

    #[test]
    fn stairs_lead_over_the_frontier_alone() {
        let chart = CostChart::new(vec![
            point("a", 1.0, 0.5, true),
            point("b", 2.0, 0.25, false),
            point("c", 4.0, 1.0, true),
        ])
        .unwrap();
        // 572 units are 4.60 dollars; 224 are a share of one.
        assert_eq!(chart.frontier, "172.3,128.0 545.4,128.0 545.4,16.0 620.0,16.0");
        assert_eq!(chart.points[1].y, 184.0);
        assert!(chart.points[2].is_left && !chart.points[0].is_left);
        assert_eq!(chart.costs[4].1, "$4.60");
    }

    #[test]
    fn one_agent_and_no_costs_draw_nothing() {
        assert_eq!(CostChart::new(vec![point("a", 1.0, 0.5, true)]), None);
        assert_eq!(
            CostChart::new(vec![point("a", 0.0, 0.5, true), point("b", 0.0, 0.1, false)]),
            None
        );
    }
}
