//! Counts, means and quantiles of a column.

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
        between(
            sorted[place.floor() as usize],
            sorted[place.ceil() as usize],
            place.fract(),
        )
    };
    Some(Moments {
        count,
        mean,
        deviation: (squares / (count as f64 - 1.0)).sqrt(),
        quantiles: [0.0, 0.25, 0.5, 0.75, 1.0].map(quantile),
    })
}

/// The number a part of the way from one to another; infinite ones leave no difference.
fn between(below: f64, above: f64, part: f64) -> f64 {
    if part == 0.0 || below == above {
        below
    } else if below.is_infinite() || above.is_infinite() {
        (1.0 - part) * below + part * above
    } else {
        below + (above - below) * part
    }
}

/// Distinct values, missing ones apart.
pub fn distinct(column: &Column) -> usize {
    match &column.values {
        Values::Strings(texts) => texts.distinct().len(),
        Values::Numbers(numbers) => distinct_integers(numbers).unwrap_or_else(|| {
            // Adding zero makes one of the two zeros.
            let present = numbers.iter().filter(|number| !number.is_nan());
            let mut bits: Vec<u64> = present.map(|number| (number + 0.0).to_bits()).collect();
            bits.sort_unstable();
            bits.dedup();
            bits.len()
        }),
    }
}

/// Counts whole numbers that lie close together by marking them; `None` for others.
fn distinct_integers(numbers: &[f64]) -> Option<usize> {
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for number in numbers.iter().filter(|number| !number.is_nan()) {
        if number.trunc() != *number {
            return None;
        }
        low = low.min(*number);
        high = high.max(*number);
    }
    let span = high - low;
    if low > high || !span.is_finite() || span >= 8.0 * numbers.len() as f64 {
        return None;
    }
    let mut seen = vec![false; span as usize + 1];
    let mut count = 0;
    for number in numbers.iter().filter(|number| !number.is_nan()) {
        let seen = seen.get_mut((number - low) as usize)?;
        count += usize::from(!std::mem::replace(seen, true));
    }
    Some(count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::documents::table::column::DataType;

    #[test]
    fn infinite_values_leave_the_other_quantiles_alone() {
        let column = Column::numbers("v", DataType::Number, vec![f64::INFINITY, 2.0]);
        let quantiles = moments(&column).unwrap().quantiles;
        assert_eq!(
            quantiles,
            [2.0, f64::INFINITY, f64::INFINITY, f64::INFINITY, f64::INFINITY]
        );
        let column = Column::numbers("v", DataType::Number, vec![f64::NEG_INFINITY, 1.0, 3.0]);
        assert_eq!(
            moments(&column).unwrap().quantiles,
            [f64::NEG_INFINITY, f64::NEG_INFINITY, 1.0, 2.0, 3.0]
        );
    }

    #[test]
    fn distinct_values_are_counted_either_way() {
        let count = |values: &[f64]| distinct(&Column::numbers("v", DataType::Number, values.to_vec()));
        assert_eq!(count(&[3.0, f64::NAN, -1.0, 3.0, 0.0, -0.0]), 3);
        assert_eq!(count(&[0.5, 0.5, 1e300, f64::INFINITY, f64::INFINITY]), 3);
        assert_eq!(count(&[f64::NAN]), 0);
        assert_eq!(count(&[-0.0, 0.0, 0.5]), 2);
    }
}
