//! The geometry of a question's plot: the interval, the gold runs in it, and the answers.

use serde::Serialize;

use crate::report::html::drawing::{Tick, shortened, tenth};

use super::task_view::{AnswerView, Bounds, QuestionView};

/// The names of attempts stand to the left of this.
const LEFT: f64 = 236.0;
const RIGHT: f64 = 736.0;
const TOP: f64 = 8.0;
const ROW: f64 = 24.0;
/// Attempts that are drawn; the table has all.
const MOST: usize = 12;
/// The room beside the intervals, in their widths.
const ROOM: f64 = 0.6;
/// The room beside a collapsed interval, as a share of its size.
const ROOM_OF_A_POINT: f64 = 0.05;

/// A plot in the units of its view box.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NumberLine {
    pub height: f64,
    pub left: f64,
    pub right: f64,
    pub top: f64,
    pub bottom: f64,
    pub interval: Option<Stretch>,
    pub widened: Option<Stretch>,
    /// The place of each gold run, in the first row.
    pub gold: Vec<f64>,
    pub gold_row: f64,
    pub rows: Vec<AnswerRow>,
    pub ticks: Vec<Tick>,
    /// Answers that are no number, or beyond the most that are drawn.
    pub left_out: usize,
}

/// A part of the axis; at least a line wide.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Stretch {
    pub x: f64,
    pub width: f64,
}

/// The answer of one attempt.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AnswerRow {
    pub y: f64,
    pub name: String,
    pub text: String,
    pub place: AnswerPlace,
    pub standing: Standing,
}

/// The place of an answer on the axis.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerPlace {
    At(f64),
    /// Below its lower end.
    Below,
    /// Above its upper end.
    Above,
}

/// The marks of an answer taken together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    Right,
    Wrong,
    /// Graders differ.
    Disputed,
    /// No grader marked it.
    Unmarked,
}

impl Standing {
    /// By all marks of an answer.
    pub fn new(answer: &AnswerView) -> Self {
        match (answer.right(), answer.marks.len()) {
            (_, 0) => Self::Unmarked,
            (0, _) => Self::Wrong,
            (right, marks) if right == marks => Self::Right,
            _ => Self::Disputed,
        }
    }
}

impl NumberLine {
    /// The plot of a question; `None` where its gold is no number.
    pub fn new(question: &QuestionView) -> Option<Self> {
        let axis = Axis::new(question)?;
        let numbers = || question.answers.iter().filter(|answer| answer.number.is_some());
        let rows: Vec<AnswerRow> = numbers()
            .take(MOST)
            .enumerate()
            .filter_map(|(at, answer)| {
                Some(AnswerRow {
                    y: TOP + ROW * (at as f64 + 1.5),
                    name: shortened(&answer.attempt),
                    text: shortened(answer.text.as_deref()?),
                    place: axis.place(answer.number?),
                    standing: Standing::new(answer),
                })
            })
            .collect();
        let bottom = TOP + ROW * (rows.len() + 1) as f64;
        Some(Self {
            height: bottom + 26.0,
            left: LEFT,
            right: RIGHT,
            top: TOP,
            bottom,
            interval: question.interval.map(|bounds| axis.stretch(bounds)),
            widened: question.widened.map(|bounds| axis.stretch(bounds)),
            gold: finite(&question.numbers).map(|number| axis.x(number)).collect(),
            gold_row: TOP + ROW / 2.0,
            left_out: question.answers.len() - rows.len(),
            rows,
            ticks: axis.ticks(),
        })
    }
}

fn finite(numbers: &[f64]) -> impl Iterator<Item = f64> {
    numbers.iter().copied().filter(|number| number.is_finite())
}

/// The part of the numbers that is drawn: gold, intervals and some room beside them. An answer
/// far away does not squeeze them.
struct Axis {
    from: f64,
    to: f64,
}

impl Axis {
    fn new(question: &QuestionView) -> Option<Self> {
        let intervals = [question.interval, question.widened];
        let ends = intervals
            .iter()
            .flatten()
            .flat_map(|bounds| [bounds.lower, bounds.upper]);
        let (lower, upper) = finite(&question.numbers)
            .chain(ends)
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(lower, upper), number| {
                (lower.min(number), upper.max(number))
            });
        let size = lower.abs().max(upper.abs());
        let width = upper - lower;
        let is_point = width <= size * 1e-12;
        let room = match (is_point, size > 0.0) {
            (true, true) => size * ROOM_OF_A_POINT,
            (true, false) => 1.0,
            (false, _) => width * ROOM,
        };
        let (from, to) = (lower - room, upper + room);
        (from < to && (to - from).is_finite()).then_some(Self { from, to })
    }

    fn x(&self, value: f64) -> f64 {
        tenth(LEFT + (value - self.from) / (self.to - self.from) * (RIGHT - LEFT))
    }

    fn place(&self, value: f64) -> AnswerPlace {
        if value < self.from {
            AnswerPlace::Below
        } else if value > self.to {
            AnswerPlace::Above
        } else {
            AnswerPlace::At(self.x(value))
        }
    }

    fn stretch(&self, bounds: Bounds) -> Stretch {
        let x = self.x(bounds.lower);
        Stretch {
            x,
            width: tenth((self.x(bounds.upper) - x).max(1.0)),
        }
    }

    /// Round values whose labels tell them apart and do not run into each other.
    fn ticks(&self) -> Vec<Tick> {
        [6.0, 4.0, 2.0]
            .into_iter()
            .map(|parts| self.ticks_every((self.to - self.from) / parts))
            .find(|ticks| ticks.windows(2).all(|pair| pair[0].clears(&pair[1])))
            .unwrap_or_default()
    }

    /// Round values at least `rough` apart.
    fn ticks_every(&self, rough: f64) -> Vec<Tick> {
        let power = 10_f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0]
            .into_iter()
            .map(|factor| factor * power)
            .find(|step| *step >= rough)
            .unwrap_or(rough);
        let first = (self.from / step).ceil();
        (0..8)
            .map(|number| (first + f64::from(number)) * step)
            .filter(|value| *value <= self.to)
            .map(|value| Tick {
                x: self.x(value),
                label: label(value, step),
            })
            .collect()
    }
}

/// A value with the places that its step has.
fn label(value: f64, step: f64) -> String {
    let size = value.abs().max(step);
    if !(1e-5..1e7).contains(&size) {
        let digits = (size.log10().floor() - step.log10().floor()).clamp(0.0, 15.0) as usize;
        return format!("{value:.digits$e}").replace('-', "−");
    }
    let places = (-step.log10().floor()).clamp(0.0, 15.0) as usize;
    let text = format!("{value:.places$}");
    match text.trim_matches(['-', '0', '.']).is_empty() {
        true => "0".to_owned(),
        false => text.replace('-', "−"),
    }
}

#[cfg(test)]
#[path = "number_line_tests.rs"]
mod tests;
