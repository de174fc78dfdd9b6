//! Counts, means and quantiles of a column.

use std::collections::HashSet;

use crate::documents::table::column::{Column, Values};

/// The moments and the quantiles of the rows with a value.
#[derive(Debug, Clone, PartialEq)]
pub struct Moments {
    pub count: usize,
    pub mean: f64,
    /// With n - 1 in the denominator.
    pub deviation: f64,
    /// Minimum, quartiles and maximum.
    pub quantiles: [f64; 5],
}

/// The moments of a numeric column; `None` for text and for no rows.
pub fn moments(column: &Column) -> Option<Moments> {
    let Values::Numbers(numbers) = &column.values else {
        return None;
    };
    let mean = column.mean()?;
    let mut sorted: Vec<f64> = numbers
        .iter()
        .copied()
        .filter(|number| !number.is_nan())
        .collect();
    sorted.sort_by(f64::total_cmp);
    let count = sorted.len();
    let squares: f64 = sorted.iter().map(|number| (number - mean).powi(2)).sum();
    // Quantiles of type 7, R's and pandas' default.
    let quantile = |part: f64| {
        let place = part * (count - 1) as f64;
        let (below, above) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
        below + (above - below) * place.fract()
    };
    Some(Moments {
        count,
        mean,
        deviation: (squares / (count as f64 - 1.0)).sqrt(),
        quantiles: [0.0, 0.25, 0.5, 0.75, 1.0].map(quantile),
    })
}

/// Distinct values, missing ones apart.
pub fn distinct(column: &Column) -> usize {
    match &column.values {
        Values::Texts(texts) => texts.distinct().len(),
        Values::Numbers(numbers) => {
            let bits = numbers
                .iter()
                .filter(|number| !number.is_nan())
                .map(|number| (number + 0.0).to_bits());
            bits.collect::<HashSet<u64>>().len()
        }
    }
}
