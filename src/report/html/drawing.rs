//! Ticks and labels that the plots share.

use serde::Serialize;

use crate::domain::format;

/// Characters of a name that are drawn.
const LONGEST_NAME: usize = 30;
/// The width of a digit of a label.
const DIGIT: f64 = 7.0;

/// A labelled place of an axis.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Tick {
    pub x: f64,
    pub label: String,
}

impl Tick {
    /// True if the next label starts well after this one ends.
    pub fn clears(&self, next: &Self) -> bool {
        let width = |tick: &Self| tick.label.chars().count() as f64 * DIGIT;
        next.x - self.x > (width(self) + width(next)) / 2.0 + DIGIT
    }
}

/// Round values of an axis whose labels do not run into each other.
pub fn ticks(from: f64, to: f64, x: &dyn Fn(f64) -> f64) -> Vec<Tick> {
    let rough = (to - from) / 8.0;
    let power = 10_f64.powf(rough.log10().floor());
    [1.0, 2.0, 5.0, 10.0, 20.0, 50.0]
        .into_iter()
        .map(|factor| factor * power)
        .filter(|step| *step >= rough)
        .map(|step| ticks_every(step, from, to, x))
        .find(|ticks| ticks.windows(2).all(|pair| pair[0].clears(&pair[1])))
        .unwrap_or_default()
}

fn ticks_every(step: f64, from: f64, to: f64, x: &dyn Fn(f64) -> f64) -> Vec<Tick> {
    let (first, last) = ((from / step).ceil(), (to / step).floor());
    let count = (last - first).clamp(0.0, 20.0) as u32;
    (0..=count)
        .map(|position| (first + f64::from(position)) * step)
        .map(|value| Tick {
            x: x(value),
            label: format::number(value),
        })
        .collect()
}

/// A length of the view box, to a tenth of its unit.
pub fn tenth(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

/// A name that fits beside a row.
pub fn shortened(name: &str) -> String {
    if name.chars().count() <= LONGEST_NAME {
        return name.to_owned();
    }
    name.chars().take(LONGEST_NAME - 1).chain(['…']).collect()
}
