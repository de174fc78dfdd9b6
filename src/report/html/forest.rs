//! The geometry of the forest plot: original and replication on one axis.

use serde::Serialize;

use crate::domain::finding::{Finding, Interval};
use crate::domain::format;
use crate::grading::criteria::common_pair::correlation;
use crate::report::view::View;
use crate::statistics::precision::FindingPrecision as _;

use super::drawing::{Tick, ratio_ticks, tenth, ticks, wrapped, wrapped_items};
use super::drawn::{Drawn, OTHERS, Unit};
use super::logged::OnAxis;
use super::region;
use crate::grading::criteria::shared_axis::{
    AxisInterval, SharedAxis, raw, share_axis, standardised, undrawn,
};

const LEFT: f64 = 205.0;
const RIGHT: f64 = 525.0;
/// Longer estimates are set smaller.
const LONG: usize = 27;
const TOP: f64 = 26.0;
/// The height of a row with one line below its name, and what each further line adds.
const ROW: f64 = 50.0;
const LINE: f64 = 15.0;
/// Characters of a line beside the axis, and the most lines of one name.
const BESIDE: usize = 30;
const LINES: usize = 4;
/// Half the width of the longest label of a zone.
const LABEL: f64 = 80.0;

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
    pub rows: Vec<ForestRow>,
    /// Where a replication is expected to fall, given the original.
    pub band: Option<Stretch>,
    /// Where the criterion is met.
    pub criterion: Option<Stretch>,
    /// The region within the smallest effect of interest, where equivalence decides.
    pub trivial: Option<Trivial>,
    /// The top of the zone of these three, which is the replication's row alone, and its height.
    pub zone_top: f64,
    pub zone_height: f64,
    pub axis: String,
    /// Why this axis.
    pub why: String,
    /// True if an arrow stands for an estimate beyond the axis.
    pub beyond: bool,
    /// Findings that are not drawn.
    pub left_out: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Stretch {
    pub x: f64,
    pub width: f64,
    /// The middle of a label that stays within the axis.
    pub label: f64,
}

/// The stretch of effects too small to matter, and what it is, in a sentence.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Trivial {
    pub stretch: Stretch,
    pub caption: String,
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ForestRow {
    pub y: f64,
    /// `original`, `replication` or `other`.
    pub kind: &'static str,
    pub label: String,
    pub term: String,
    /// The term in the lines that are drawn.
    pub term_lines: Vec<DrawnLine>,
    /// In the figures of the axis.
    pub estimate: String,
    /// True if the estimate has to be set smaller.
    pub long: bool,
    pub detail: String,
    /// The detail in the lines that are drawn.
    pub detail_lines: Vec<DrawnLine>,
    /// The findings that cannot be drawn, in words.
    pub missing: Option<String>,
    pub point: Option<f64>,
    pub line: Option<Stretch>,
    /// The interval goes on beyond the axis.
    pub open_left: bool,
    pub open_right: bool,
}

/// A line of text beside the axis.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DrawnLine {
    pub y: f64,
    pub text: String,
}

impl Forest {
    /// The plot of a view; `None` where neither study has an estimate.
    pub fn from_view(view: &View) -> Option<Self> {
        let findings = &view.findings;
        let (original, replication) = (findings.original.as_ref(), findings.replication.as_ref());
        original
            .into_iter()
            .chain(replication)
            .find(|finding| raw(finding).is_some() || standardised(finding).is_some())?;
        let on_axis = OnAxis::from_view(view);
        let moved = &on_axis.findings;
        let SharedAxis {
            own_units: shared,
            why,
        } = share_axis(
            moved.original.as_ref(),
            moved.replication.as_ref(),
            &findings.scale,
        );
        let common = view
            .criteria
            .as_ref()
            .and_then(|criteria| criteria.common.as_ref());
        let drawn = Drawn::new(view, &on_axis, common.filter(|_| !shared), shared);
        let focal: Vec<AxisInterval> = drawn.focal.iter().flatten().copied().collect();
        let equivalence = shared.then(|| region::trivial(view, &on_axis)).flatten();
        let trivial = equivalence.map(|trivial| (-trivial.bound, trivial.bound));
        // Two bands on one axis could not be told apart; the one that decides is drawn.
        let band = drawn.predicted.filter(|_| trivial.is_none());
        let by_error = drawn.unit == Unit::Error;
        let critical = by_error.then(|| region::significant(view)).flatten();
        let others: Vec<AxisInterval> = drawn.others.iter().flatten().copied().collect();
        let axis = Axis::over(&focal, band.or(trivial), by_error)?.widened(&others);
        let [first, second] = drawn.effects;
        let mut shown = vec![
            Shown {
                finding: original,
                moved: moved.original.as_ref(),
                placed: drawn.focal[0],
                r: first,
                kind: "original",
                label: "Original study",
            },
            Shown {
                finding: replication,
                moved: moved.replication.as_ref(),
                placed: drawn.focal[1],
                r: second,
                kind: "replication",
                label: "Replication",
            },
        ];
        let others = findings.others.iter().zip(&moved.others);
        shown.extend(others.zip(&drawn.others).map(|((finding, moved), placed)| Shown {
            finding: Some(finding),
            moved: Some(moved),
            placed: *placed,
            r: None,
            kind: "other",
            label: "Also reported",
        }));
        let mut bottom = TOP;
        let (mut rows, mut zone) = (Vec::new(), (TOP, ROW));
        for one in shown {
            let height = one.height(drawn.unit);
            if one.kind == "replication" {
                zone = (bottom, height);
            }
            rows.push(axis.row(&one, drawn.unit, bottom + ROW / 2.0));
            bottom += height;
        }
        let marks = match drawn.unit {
            Unit::Logged => ratio_ticks(axis.from, axis.to, &|value| axis.x(value)),
            _ => ticks(axis.from, axis.to, &|value| axis.x(value)),
        };
        Some(Self {
            height: bottom + 46.0,
            left: LEFT,
            right: RIGHT,
            top: TOP,
            bottom,
            zero: axis.x(0.0),
            ticks: marks,
            band: band.map(|(lower, upper)| axis.stretch(lower, upper)),
            criterion: critical.map(|(from, to)| axis.stretch(from.max(axis.from), to.min(axis.to))),
            trivial: equivalence.map(|trivial| Trivial {
                stretch: axis.stretch(-trivial.bound, trivial.bound),
                caption: trivial.caption(),
            }),
            zone_top: zone.0,
            zone_height: zone.1,
            axis: drawn.unit.axis().to_owned(),
            why: drawn.why.unwrap_or(why),
            beyond: rows.iter().any(|row| row.line.is_some() && row.point.is_none()),
            left_out: findings.others.len().saturating_sub(OTHERS),
            rows,
        })
    }
}

/// The content of a row.
struct Shown<'a> {
    finding: Option<&'a Finding>,
    /// The same as the axis takes it.
    moved: Option<&'a Finding>,
    placed: Option<AxisInterval>,
    /// The correlation that stands for it.
    r: Option<f64>,
    kind: &'static str,
    label: &'static str,
}

impl Shown<'_> {
    fn term(&self) -> Vec<String> {
        wrapped(self.finding.map_or("", |finding| &finding.name), BESIDE, LINES)
    }

    /// The point with its interval, in the figures of the axis.
    fn estimate(&self, unit: Unit) -> String {
        match (self.finding, self.placed) {
            (Some(_), Some(placed)) if !unit.is_as_reported() => format!(
                "{} {}",
                format::estimate(placed.point),
                format::interval(&Interval {
                    lower: placed.lower,
                    upper: placed.upper,
                    level: 0.95,
                })
            ),
            (Some(finding), _) => estimate(finding),
            (None, _) => String::new(),
        }
    }

    fn details(&self, unit: Unit) -> Vec<String> {
        let Some(finding) = self.finding else {
            return Vec::new();
        };
        let r = self.r.map(|r| format!("r = {}", correlation(r)));
        let own = (self.placed.is_some() && !unit.is_as_reported())
            .then(|| format!("as reported {}", estimate(finding)));
        r.into_iter().chain(own).chain(details(finding)).collect()
    }

    fn detail_lines(&self, unit: Unit) -> Vec<String> {
        wrapped_items(&self.details(unit), BESIDE + 2)
    }

    fn height(&self, unit: Unit) -> f64 {
        let lines = self.term().len().max(self.detail_lines(unit).len());
        ROW + LINE * lines.saturating_sub(1) as f64
    }
}

struct Axis {
    from: f64,
    to: f64,
}

impl Axis {
    /// An axis that holds zero, the given places and the band.
    fn over(places: &[AxisInterval], band: Option<(f64, f64)>, standardised: bool) -> Option<Self> {
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
    fn widened(self, others: &[AxisInterval]) -> Self {
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
        let width = tenth((self.x(upper) - x).max(0.0));
        Stretch {
            x,
            width,
            label: tenth((x + width / 2.0).clamp(LEFT + LABEL, RIGHT - LABEL)),
        }
    }

    fn row(&self, shown: &Shown<'_>, unit: Unit, y: f64) -> ForestRow {
        let Shown {
            finding,
            moved,
            placed,
            kind,
            label,
            ..
        } = *shown;
        let lines = |texts: Vec<String>| -> Vec<DrawnLine> {
            let below = |(position, text): (usize, String)| DrawnLine {
                y: y + 14.0 + LINE * position as f64,
                text,
            };
            texts.into_iter().enumerate().map(below).collect()
        };
        let estimate = shown.estimate(unit);
        ForestRow {
            y,
            kind,
            label: label.to_owned(),
            term: finding.map_or_else(String::new, |finding| finding.name.clone()),
            term_lines: lines(shown.term()),
            long: estimate.chars().count() > LONG,
            estimate,
            detail: shown.details(unit).join(", "),
            detail_lines: lines(shown.detail_lines(unit)),
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

fn details(finding: &Finding) -> impl Iterator<Item = String> {
    [
        finding.n.map(|n| format!("n = {}", format::count(n))),
        finding.p_value.map(format::p_value),
        finding.df.map(|df| format!("df = {}", format::number(df))),
    ]
    .into_iter()
    .flatten()
}

#[cfg(test)]
#[path = "forest_tests.rs"]
mod tests;
