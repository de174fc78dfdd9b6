//! The geometry of the paired plot: for each pair two estimates with their
//! intervals, joined.

use serde::Serialize;

use crate::analysis::parity::comparison::Comparison;
use crate::analysis::parity::pair::Pair;
use crate::domain::finding::Finding;
use crate::domain::format;
use crate::grading::criteria::shared_axis::{AxisInterval, raw};
use crate::report::html::drawing::{Tick, shortened, tenth, ticks};

const LEFT: f64 = 215.0;
const RIGHT: f64 = 525.0;
const TOP: f64 = 4.0;
const ROW: f64 = 66.0;
/// Half the distance between the two estimates of a pair.
const APART: f64 = 10.0;
/// Pairs that are drawn.
const MOST: usize = 24;
/// Rows that differ in reach by more than this factor have axes of their own.
const LEGIBLE: f64 = 20.0;

/// A plot in the units of its view box.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Paired {
    pub height: f64,
    pub left: f64,
    pub right: f64,
    pub top: f64,
    pub bottom: f64,
    pub rows: Vec<PairRow>,
    /// True if all rows share one axis.
    pub shared: bool,
    /// Round values of the shared axis.
    pub ticks: Vec<Tick>,
    /// Pairs that are not drawn.
    pub left_out: usize,
}

/// One pair.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PairRow {
    pub y: f64,
    pub name: String,
    pub focal: bool,
    pub agrees: bool,
    /// Where zero lies.
    pub zero: f64,
    pub marks: Vec<Mark>,
    /// A path between the two estimates.
    pub joint: Option<[f64; 4]>,
    /// The ends of the row's own axis, where it has one.
    pub ends: Option<[String; 2]>,
}

/// One estimate.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Mark {
    /// `first` or `second`.
    pub run: &'static str,
    pub x: f64,
    pub y: f64,
    /// From and to, where an interval is known.
    pub interval: Option<[f64; 2]>,
    pub label: String,
}

impl Paired {
    /// The plot of a comparison; `None` where no pair has two estimates.
    pub fn from_comparison(comparison: &Comparison) -> Option<Self> {
        let drawable: Vec<(&Pair, [AxisInterval; 2])> = comparison
            .pairs
            .iter()
            .filter_map(|pair| Some((pair, [placed(&pair.first)?, placed(&pair.second)?])))
            .filter(|(_, places)| Axis::over(places).is_some())
            .collect();
        let drawn = &drawable[..drawable.len().min(MOST)];
        let reaches: Vec<f64> = drawn.iter().map(|(_, places)| reach(places)).collect();
        let (least, most) = reaches.iter().fold((f64::INFINITY, 0.0_f64), |(low, high), one| {
            (low.min(*one), high.max(*one))
        });
        let all: Vec<AxisInterval> = drawn.iter().flat_map(|(_, places)| *places).collect();
        let shared = Axis::over(&all).filter(|_| most <= LEGIBLE * least);
        let rows: Vec<PairRow> = drawn
            .iter()
            .enumerate()
            .filter_map(|(index, (pair, places))| {
                let own = Axis::over(places)?;
                let axis = shared.as_ref().unwrap_or(&own);
                Some(row(pair, places, axis, shared.is_none(), index))
            })
            .collect();
        if rows.is_empty() {
            return None;
        }
        let bottom = TOP + ROW * rows.len() as f64;
        let ticks = (shared.as_ref()).map(|axis| ticks(axis.from, axis.to, &|value| axis.x(value)));
        Some(Self {
            height: bottom + if shared.is_some() { 46.0 } else { 12.0 },
            left: LEFT,
            right: RIGHT,
            top: TOP,
            bottom,
            shared: shared.is_some(),
            ticks: ticks.unwrap_or_default(),
            left_out: comparison.pairs.len() - rows.len(),
            rows,
        })
    }
}

/// An estimate with its interval, or alone.
fn placed(finding: &Finding) -> Option<AxisInterval> {
    raw(finding).or_else(|| {
        let point = finding.estimate.filter(|estimate| estimate.is_finite())?;
        Some(AxisInterval {
            point,
            lower: point,
            upper: point,
        })
    })
}

fn reach(places: &[AxisInterval]) -> f64 {
    let ends = places
        .iter()
        .flat_map(|place| [place.lower.abs(), place.upper.abs()]);
    ends.fold(0.0, f64::max)
}

struct Axis {
    from: f64,
    to: f64,
}

impl Axis {
    /// An axis that holds zero and the places; `None` where it has no length.
    fn over(places: &[AxisInterval]) -> Option<Self> {
        let ends = places.iter().flat_map(|place| [place.lower, place.upper]);
        let (from, to) = ends.fold((0.0_f64, 0.0_f64), |(from, to), end| (from.min(end), to.max(end)));
        let pad = (to - from) * 0.05;
        (pad > 0.0 && (to - from + 2.0 * pad).is_finite()).then_some(Self {
            from: from - pad,
            to: to + pad,
        })
    }

    fn x(&self, value: f64) -> f64 {
        let share = ((value - self.from) / (self.to - self.from)).clamp(0.0, 1.0);
        tenth(LEFT + share * (RIGHT - LEFT))
    }
}

fn row(pair: &Pair, places: &[AxisInterval; 2], axis: &Axis, own: bool, index: usize) -> PairRow {
    let y = TOP + ROW * (index as f64 + 0.5);
    let mark = |run: &'static str, finding: &Finding, place: &AxisInterval, y: f64| Mark {
        run,
        x: axis.x(place.point),
        y,
        interval: (place.lower < place.upper).then(|| [axis.x(place.lower), axis.x(place.upper)]),
        label: label(finding),
    };
    let marks = vec![
        mark("first", &pair.first, &places[0], y - APART),
        mark("second", &pair.second, &places[1], y + APART),
    ];
    PairRow {
        y,
        name: shortened(&pair.first.name),
        focal: pair.focal,
        agrees: pair.agrees(),
        zero: axis.x(0.0),
        joint: Some([marks[0].x, marks[0].y, marks[1].x, marks[1].y]),
        marks,
        ends: own.then(|| [format::number(axis.from), format::number(axis.to)]),
    }
}

fn label(finding: &Finding) -> String {
    let estimate = finding.estimate.map_or_else(String::new, format::estimate);
    match finding.n {
        Some(n) => format!("{estimate}, n = {}", format::count(n)),
        None => estimate,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::parity::align::PairBasis;
    use crate::analysis::parity::printed::Reported;

    fn pair(one: (f64, f64), two: (f64, f64)) -> Pair {
        let reported = |(estimate, error): (f64, f64)| {
            Reported::from_finding(Finding {
                name: "a".into(),
                estimate: Some(estimate),
                standard_error: Some(error),
                ..Finding::default()
            })
        };
        Pair::new(&reported(one), &reported(two), PairBasis::Name, false)
    }

    fn plot(pairs: Vec<Pair>) -> Option<Paired> {
        let mut comparison = super::super::table::tests::comparison();
        comparison.pairs = pairs;
        Paired::from_comparison(&comparison)
    }

    #[test]
    fn rows_of_other_units_have_axes_of_their_own() {
        let small = pair((0.001, 0.000_2), (0.001_5, 0.000_2));
        let plot_of = plot(vec![small.clone(), pair((120.0, 30.0), (90.0, 30.0))]).unwrap();
        assert!(!plot_of.shared && plot_of.rows[0].ends.is_some() && plot_of.ticks.is_empty());
        let [one, two] = [&plot_of.rows[0].marks[0], &plot_of.rows[0].marks[1]];
        assert!(two.x - one.x > 30.0, "{one:?} {two:?}");
        let zero = plot_of.rows[0].zero;
        assert!(((one.x - zero) * 1.5 - (two.x - zero)).abs() < 0.4);
        let plot_of = plot(vec![small, pair((0.01, 0.001), (0.02, 0.001))]).unwrap();
        assert!(plot_of.shared && plot_of.rows[0].ends.is_none());
        assert_eq!(plot_of.rows[0].zero, plot_of.rows[1].zero);
        let zero = plot_of.ticks.iter().find(|tick| tick.label == "0").unwrap();
        assert_eq!(zero.x, plot_of.rows[0].zero);
    }

    #[test]
    fn an_estimate_without_an_interval_is_a_point() {
        let plot = plot(vec![pair((1.0, f64::NAN), (2.0, 0.5))]).unwrap();
        assert!(plot.rows[0].marks[0].interval.is_none() && plot.rows[0].marks[1].interval.is_some());
    }

    #[test]
    fn no_number_is_too_strange_to_draw_or_leave_out() {
        let odd = [f64::NAN, f64::INFINITY, 0.0, -1e308, 1e308, 1e-320, 1.0];
        for one in odd {
            for two in odd {
                for error in odd {
                    for row in plot(vec![pair((one, error), (two, 1.0))])
                        .iter()
                        .flat_map(|plot| &plot.rows)
                    {
                        let drawn = row.marks.iter().flat_map(|mark| [mark.x, mark.y]);
                        assert!(drawn.chain([row.zero]).all(f64::is_finite), "{one} {two} {error}");
                    }
                }
            }
        }
        assert_eq!(plot(vec![pair((0.0, 0.0), (0.0, 0.0))]), None);
        let many = plot(vec![pair((1.0, 0.1), (1.0, 0.1)); 10_000]).unwrap();
        assert_eq!((many.rows.len(), many.left_out), (MOST, 10_000 - MOST));
    }
}
