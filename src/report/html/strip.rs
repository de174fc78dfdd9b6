//! The geometry of the strip plot: the main result among its variants.

use serde::Serialize;

use crate::domain::format;
use crate::report::view::View;

use super::drawing::{Tick, shortened, tenth, ticks};

const LEFT: f64 = 24.0;
const RIGHT: f64 = 736.0;
const TOP: f64 = 26.0;
/// The height of a stack of one dot, and what each further one adds.
const ROW: f64 = 30.0;
const STEP: f64 = 12.0;
/// Dots closer than this are stacked.
const APART: f64 = 11.0;

/// A plot in the units of its view box.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Strip {
    pub height: f64,
    pub left: f64,
    pub right: f64,
    pub top: f64,
    pub bottom: f64,
    /// Where no effect is.
    pub null: f64,
    pub main: Dot,
    pub dots: Vec<Dot>,
    pub ticks: Vec<Tick>,
    pub axis: String,
    /// Variants that gave nothing to draw.
    pub left_out: usize,
}

/// One result.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Dot {
    pub x: f64,
    pub y: f64,
    pub name: String,
    pub value: String,
}

impl Strip {
    /// The plot of a view; `None` where the main result or all variants have no place.
    pub fn from_view(view: &View) -> Option<Self> {
        let summary = view.variant_summary.as_ref()?;
        let main = summary.main?;
        let named = view.variants.iter().zip(&summary.values);
        let placed: Vec<(&str, f64)> = named
            .filter_map(|(variant, value)| Some((variant.name.as_str(), (*value)?)))
            .collect();
        if placed.is_empty() {
            return None;
        }
        let values = placed.iter().map(|(_, value)| *value).chain([main]);
        let (from, to) = values.fold((summary.null, summary.null), |(from, to), value| {
            (from.min(value), to.max(value))
        });
        let pad = (to - from) * 0.06;
        let (from, to) = (from - pad, to + pad);
        if !(pad > 0.0 && (to - from).is_finite()) {
            return None;
        }
        let x = |value: f64| tenth(LEFT + (value - from) / (to - from) * (RIGHT - LEFT));
        let mut stacks: Vec<(f64, usize)> = Vec::new();
        let mut levels = Vec::new();
        for (_, value) in &placed {
            let at = x(*value);
            let level = match stacks.iter_mut().find(|(other, _)| (*other - at).abs() < APART) {
                Some((_, count)) => {
                    *count += 1;
                    *count - 1
                }
                None => {
                    stacks.push((at, 1));
                    0
                }
            };
            levels.push(level);
        }
        let highest = levels.iter().copied().max().unwrap_or(0);
        let bottom = TOP + ROW + STEP * highest as f64;
        let dots = placed.iter().zip(levels).map(|((name, value), level)| Dot {
            x: x(*value),
            y: bottom - ROW / 2.0 - STEP * level as f64,
            name: shortened(name),
            value: format::estimate(*value),
        });
        Some(Self {
            height: bottom + 46.0,
            left: LEFT,
            right: RIGHT,
            top: TOP,
            bottom,
            null: x(summary.null),
            main: Dot {
                x: x(main),
                y: bottom,
                name: "main result".to_owned(),
                value: format::estimate(main),
            },
            dots: dots.collect(),
            ticks: ticks(from, to, &x),
            axis: summary.axis.words().to_owned(),
            left_out: view.variants.len() - placed.len(),
        })
    }
}

#[cfg(test)]
#[path = "strip_tests.rs"]
mod tests;
