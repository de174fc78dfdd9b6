//! The geometry of the forest plot: original and replication on one axis.

use serde::Serialize;

use crate::domain::finding::Finding;
use crate::domain::format;
use crate::grading::criteria::common_pair::correlation;
use crate::report::view::View;
use crate::statistics::precision::FindingPrecision as _;

use super::drawing::{Tick, shortened, tenth, ticks};
use super::drawn::{Drawn, OTHERS, Unit};
use super::logged::OnAxis;
use super::region;
use crate::grading::criteria::place::{Place, raw, share_axis, standardised, undrawn};

const LEFT: f64 = 205.0;
const RIGHT: f64 = 525.0;
/// Longer estimates are set smaller.
const LONG: usize = 27;
const TOP: f64 = 26.0;
const ROW: f64 = 50.0;

/// A plot in the units of its view box.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Forest {
    pub height: f64,
    pub left: f64,
    pub right: f64,
    pub top: f64,
    pub bottom: f64,
    pub zero: f64,
    pub ticks: Vec<Tick>,
    pub rows: Vec<Row>,
    /// Where a replication is expected to fall, given the original.
    pub band: Option<Stretch>,
    /// Where the criterion is met.
    pub criterion: Option<Stretch>,
    /// What lies within the smallest effect of interest, where equivalence decides.
    pub trivial: Option<Trivial>,
    pub axis: String,
    /// Why this axis.
    pub why: String,
    /// Whether an arrow stands for an estimate beyond the axis.
    pub beyond: bool,
    /// Findings that are not drawn.
    pub left_out: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Stretch {
    pub x: f64,
    pub width: f64,
}

/// The stretch of effects too small to matter, and what it is, in a sentence.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Trivial {
    pub stretch: Stretch,
    pub caption: String,
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    pub y: f64,
    /// `original`, `replication` or `other`.
    pub kind: &'static str,
    pub label: String,
    pub term: String,
    pub estimate: String,
    /// Whether the estimate has to be set smaller.
    pub long: bool,
    pub detail: String,
    /// What cannot be drawn, in words.
    pub missing: Option<String>,
    pub point: Option<f64>,
    pub line: Option<Stretch>,
    /// The interval goes on beyond the axis.
    pub open_left: bool,
    pub open_right: bool,
}

impl Forest {
    /// The plot of a view; `None` where neither study has an estimate.
    pub fn of(view: &View) -> Option<Self> {
        let findings = &view.findings;
        let (original, replication) = (findings.original.as_ref(), findings.replication.as_ref());
        original
            .into_iter()
            .chain(replication)
            .find(|finding| raw(finding).is_some() || standardised(finding).is_some())?;
        let on_axis = OnAxis::of(view);
        let moved = &on_axis.findings;
        let (shared, why) = share_axis(
            moved.original.as_ref(),
            moved.replication.as_ref(),
            &findings.scale,
        );
        let common = view
            .criteria
            .as_ref()
            .and_then(|criteria| criteria.common.as_ref());
        let drawn = Drawn::of(view, &on_axis, common.filter(|_| !shared), shared);
        let focal: Vec<Place> = drawn.focal.iter().flatten().copied().collect();
        let equivalence = shared.then(|| region::trivial(view, &on_axis)).flatten();
        let trivial = equivalence.map(|trivial| (-trivial.bound, trivial.bound));
        // Two bands on one axis could not be told apart; the one that decides is drawn.
        let band = drawn.predicted.filter(|_| trivial.is_none());
        let by_error = drawn.unit == Unit::Error;
        let critical = by_error.then(|| region::significant(view)).flatten();
        let others: Vec<Place> = drawn.others.iter().flatten().copied().collect();
        let axis = Axis::over(&focal, band.or(trivial), by_error)?.widened(&others);
        let [first, second] = drawn.effects;
        let mut rows = vec![
            axis.row(
                Shown {
                    finding: original,
                    moved: moved.original.as_ref(),
                    placed: drawn.focal[0],
                    r: first,
                    kind: "original",
                    label: "Original study",
                },
                0,
            ),
            axis.row(
                Shown {
                    finding: replication,
                    moved: moved.replication.as_ref(),
                    placed: drawn.focal[1],
                    r: second,
                    kind: "replication",
                    label: "Replication",
                },
                1,
            ),
        ];
        let others = findings.others.iter().zip(&moved.others);
        for ((finding, moved), placed) in others.zip(&drawn.others) {
            let shown = Shown {
                finding: Some(finding),
                moved: Some(moved),
                placed: *placed,
                r: None,
                kind: "other",
                label: "Also reported",
            };
            rows.push(axis.row(shown, rows.len()));
        }
        let bottom = TOP + ROW * rows.len() as f64;
        Some(Self {
            height: bottom + 46.0,
            left: LEFT,
            right: RIGHT,
            top: TOP,
            bottom,
            zero: axis.x(0.0),
            ticks: ticks(axis.from, axis.to, &|value| axis.x(value)),
            band: band.map(|(lower, upper)| axis.stretch(lower, upper)),
            criterion: critical.map(|(from, to)| axis.stretch(from.max(axis.from), to.min(axis.to))),
            trivial: equivalence.map(|trivial| Trivial {
                stretch: axis.stretch(-trivial.bound, trivial.bound),
                caption: trivial.caption(),
            }),
            axis: drawn.unit.axis().to_owned(),
            why: drawn.why.unwrap_or(why),
            beyond: rows.iter().any(|row| row.line.is_some() && row.point.is_none()),
            left_out: findings.others.len().saturating_sub(OTHERS),
            rows,
        })
    }
}

/// What a row shows.
struct Shown<'a> {
    finding: Option<&'a Finding>,
    /// The same as the axis takes it.
    moved: Option<&'a Finding>,
    placed: Option<Place>,
    /// The correlation that stands for it.
    r: Option<f64>,
    kind: &'static str,
    label: &'static str,
}

struct Axis {
    from: f64,
    to: f64,
}

impl Axis {
    /// An axis that holds zero, the given places and the band.
    fn over(places: &[Place], band: Option<(f64, f64)>, standardised: bool) -> Option<Self> {
        let ends = places
            .iter()
            .flat_map(|place| [place.lower, place.upper])
            .chain(band.into_iter().flat_map(|(lower, upper)| [lower, upper]));
        let floor: f64 = if standardised { 2.6 } else { 0.0 };
        let (from, to) = ends.fold((-floor, floor), |(from, to), end| (from.min(end), to.max(end)));
        let pad = (to - from) * 0.06;
        (pad > 0.0 && pad.is_finite()).then_some(Self {
            from: from - pad,
            to: to + pad,
        })
    }

    /// The axis with further places on it, as long as they leave it legible.
    fn widened(self, others: &[Place]) -> Self {
        let span = self.to - self.from;
        others.iter().fold(self, |axis, place| {
            let pad = span * 0.03;
            let (from, to) = (axis.from.min(place.lower - pad), axis.to.max(place.upper + pad));
            if to - from <= 2.0 * span {
                Self { from, to }
            } else {
                axis
            }
        })
    }

    fn x(&self, value: f64) -> f64 {
        let share = ((value - self.from) / (self.to - self.from)).clamp(0.0, 1.0);
        tenth(LEFT + share * (RIGHT - LEFT))
    }

    fn stretch(&self, lower: f64, upper: f64) -> Stretch {
        let x = self.x(lower);
        Stretch {
            x,
            width: tenth((self.x(upper) - x).max(0.0)),
        }
    }

    fn row(&self, shown: Shown<'_>, index: usize) -> Row {
        let Shown {
            finding,
            moved,
            placed,
            r,
            kind,
            label,
        } = shown;
        let r = r.map(|r| format!("r = {}", correlation(r)));
        let detail = finding.map(detail).filter(|detail| !detail.is_empty());
        Row {
            y: TOP + ROW * (index as f64 + 0.5),
            kind,
            label: label.to_owned(),
            term: finding.map_or_else(String::new, |finding| shortened(&finding.name)),
            long: finding.is_some_and(|finding| estimate(finding).chars().count() > LONG),
            estimate: finding.map_or_else(String::new, estimate),
            detail: r.into_iter().chain(detail).collect::<Vec<_>>().join(", "),
            missing: match (moved, placed) {
                (_, Some(_)) => None,
                (None, None) => Some("no numbers are available".to_owned()),
                (Some(moved), None) => Some(undrawn(moved)),
            },
            point: placed
                .filter(|place| (self.from..=self.to).contains(&place.point))
                .map(|place| self.x(place.point)),
            line: placed.map(|place| self.stretch(place.lower, place.upper)),
            open_left: placed.is_some_and(|place| place.lower < self.from),
            open_right: placed.is_some_and(|place| place.upper > self.to),
        }
    }
}

fn estimate(finding: &Finding) -> String {
    let Some(point) = finding.estimate else {
        return "no estimate".to_owned();
    };
    match finding.interval95() {
        Some(interval) => format!("{} {}", format::estimate(point), format::interval(&interval)),
        None => format::estimate(point),
    }
}

fn detail(finding: &Finding) -> String {
    [
        finding.n.map(|n| format!("n = {}", format::count(n))),
        finding.p_value.map(format::p_value),
        finding.df.map(|df| format!("df = {}", format::number(df))),
    ]
    .into_iter()
    .flatten()
    .collect::<Vec<_>>()
    .join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grading::criteria::place::Z95;
    use crate::grading::criteria::scale::Scale;
    use crate::report::evidence::Evidence;

    fn finding(estimate: f64, error: f64) -> Finding {
        Finding {
            estimate: Some(estimate),
            standard_error: Some(error),
            ..Finding::default()
        }
    }

    fn forest(original: Finding, replication: Finding, scale: Scale) -> Forest {
        let evidence = Evidence {
            original: Some(original),
            replication: Some(replication),
            scale,
            ..Evidence::default()
        };
        let view = View::build(&[], &|_| Err(String::new()), &evidence);
        Forest::of(&view).unwrap()
    }

    #[test]
    fn different_units_are_compared_in_standard_errors() {
        let plot = forest(
            finding(0.599, 0.120),
            finding(0.001_361, 0.000_224),
            Scale::Unknown,
        );
        assert!(plot.axis.contains("÷ its standard error"));
        assert!(plot.why.contains("different units") && plot.band.is_none());
        let scale = |z: f64| {
            let unit = (plot.rows[1].point.unwrap() - plot.zero) / (0.001_361 / 0.000_224);
            plot.zero + z * unit
        };
        assert!((plot.rows[0].point.unwrap() - scale(0.599 / 0.120)).abs() < 0.2);
        let line = plot.rows[0].line.unwrap();
        assert!((line.width - (scale(2.0 * Z95) - plot.zero)).abs() < 0.3);
    }

    #[test]
    fn different_units_are_drawn_as_correlations_where_both_are_known() {
        let with = |estimate, error, df| Finding {
            df: Some(df),
            ..finding(estimate, error)
        };
        let plot = forest(
            with(0.599, 0.120, 42.0),
            with(0.001_361, 0.000_224, 99.0),
            Scale::Unknown,
        );
        assert_eq!(plot.axis, "Fisher's z of the correlation, with 95% interval");
        assert!(
            plot.why.contains("drawn as correlations") && plot.why.contains("t(42) = 4.992"),
            "{}",
            plot.why
        );
        assert!(plot.rows[0].detail.starts_with("r = .61") && plot.rows[1].detail.starts_with("r = .52"));
        // R: z = atanh(t / sqrt(t^2 + df)) and its 95 % interval by 1 / sqrt(df - 1).
        let per_unit = (plot.rows[0].point.unwrap() - plot.zero) / 0.709_253;
        assert!((plot.rows[1].point.unwrap() - plot.zero - 0.577_936 * per_unit).abs() < 0.3);
        let line = plot.rows[1].line.unwrap();
        assert!((line.width - 2.0 * Z95 / 98_f64.sqrt() * per_unit).abs() < 0.3);
        assert!(plot.band.is_some() && plot.criterion.is_none());
    }

    #[test]
    fn the_same_units_share_an_axis_with_the_prediction_interval() {
        let plot = forest(finding(0.25, 0.08), finding(0.10, 0.04), Scale::Same);
        let per_unit = (plot.rows[0].point.unwrap() - plot.zero) / 0.25;
        let band = plot.band.unwrap();
        assert!((band.x - (plot.zero + 0.075 * per_unit)).abs() < 0.3);
        assert!((band.width - 0.35 * per_unit).abs() < 0.5);
    }

    #[test]
    fn labels_of_small_numbers_stay_apart() {
        let plot = forest(
            finding(0.002_1, 0.000_7),
            finding(0.001_36, 0.000_224),
            Scale::Same,
        );
        assert!(plot.ticks.len() >= 3);
        assert!(plot.ticks.windows(2).all(|pair| pair[0].clears(&pair[1])));
    }

    #[test]
    fn no_number_is_too_strange_to_draw_or_leave_out() {
        for value in [f64::NAN, f64::INFINITY, 0.0, -1e308, 1e-320] {
            for error in [f64::NAN, 0.0, -1.0, 1e308, 1e-320] {
                let evidence = Evidence {
                    original: Some(finding(value, error)),
                    replication: Some(finding(1.0, 0.5)),
                    ..Evidence::default()
                };
                let view = View::build(&[], &|_| Err(String::new()), &evidence);
                if let Some(plot) = Forest::of(&view) {
                    let drawn = plot
                        .rows
                        .iter()
                        .flat_map(|row| row.point.into_iter().chain(row.line.map(|line| line.width)));
                    assert!(drawn.chain([plot.zero]).all(f64::is_finite), "{value} {error}");
                }
            }
        }
    }
}
