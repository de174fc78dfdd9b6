//! The geometry of the stage timeline.

use serde::Serialize;

use crate::domain::format;
use crate::domain::stage::Stage;
use crate::report::timeline::Activity;
use crate::report::view::View;

use super::drawing::tenth;

const LEFT: f64 = 96.0;
const RIGHT: f64 = 720.0;
const TOP: f64 = 8.0;
const ROW: f64 = 30.0;
/// Narrower stretches are not drawn, in units of the view box.
const VISIBLE: f64 = 0.25;

/// A timeline in the units of its view box.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Gantt {
    pub height: f64,
    pub left: f64,
    pub right: f64,
    pub bottom: f64,
    pub rows: Vec<StageRow>,
    pub ticks: Vec<Tick>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StageRow {
    pub stage: Stage,
    pub y: f64,
    pub x: f64,
    pub width: f64,
    pub bars: Vec<Bar>,
    /// True if the stage failed or is still under way.
    pub mark: Option<&'static str>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Bar {
    pub activity: Activity,
    pub x: f64,
    pub width: f64,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Tick {
    pub x: f64,
    pub label: String,
}

impl Gantt {
    /// The timeline of a view; `None` where no time has passed.
    pub fn from_view(view: &View) -> Option<Self> {
        if view.wall_ms == 0 || view.stages.is_empty() {
            return None;
        }
        let whole = view.wall_ms as f64;
        let x = |ms: u64| LEFT + (ms as f64 / whole).min(1.0) * (RIGHT - LEFT);
        let rows: Vec<StageRow> = view
            .stages
            .iter()
            .enumerate()
            .map(|(index, stage)| {
                let ends = stage.spans.first().zip(stage.spans.last());
                let (from, to) = ends.map_or((0, 0), |(first, last)| (first.from_ms, last.to_ms));
                StageRow {
                    stage: stage.stage,
                    y: TOP + ROW * index as f64,
                    x: tenth(x(from)),
                    width: tenth((x(to) - x(from)).max(1.0)),
                    bars: stage
                        .spans
                        .iter()
                        .filter(|span| span.activity != Activity::Engine)
                        .map(|span| Bar {
                            activity: span.activity,
                            x: tenth(x(span.from_ms)),
                            width: tenth(x(span.to_ms) - x(span.from_ms)),
                        })
                        .filter(|bar| bar.width >= VISIBLE)
                        .collect(),
                    mark: match &stage.end {
                        None => Some("under way"),
                        Some(end) if !end.finished => Some("ended early"),
                        Some(_) => None,
                    },
                }
            })
            .collect();
        let bottom = TOP + ROW * rows.len() as f64;
        Some(Self {
            height: bottom + 26.0,
            left: LEFT,
            right: RIGHT,
            bottom,
            rows,
            ticks: ticks(view.wall_ms)
                .into_iter()
                .map(|ms| Tick {
                    x: tenth(x(ms)),
                    label: format::tick(ms),
                })
                .collect(),
        })
    }
}

/// Round times from 0 on, at most seven.
fn ticks(whole: u64) -> Vec<u64> {
    const STEPS: [u64; 18] = [
        100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 60_000, 120_000, 300_000, 600_000, 1_200_000,
        3_600_000, 7_200_000, 21_600_000, 43_200_000, 86_400_000,
    ];
    let step = STEPS
        .into_iter()
        .find(|step| whole / step <= 6)
        .unwrap_or_else(|| (whole / 6).max(1));
    (0..=whole / step).map(|index| index * step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_few_and_round() {
        assert_eq!(ticks(250_000), [0, 60_000, 120_000, 180_000, 240_000]);
        for whole in [1, 99, 100_000, 10_000_000_000, u64::MAX] {
            assert!(ticks(whole).len() <= 8, "{whole}");
        }
    }
}
