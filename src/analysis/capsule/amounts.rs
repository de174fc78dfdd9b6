//! Sums and means of what attempts took, where it is known.

use serde::Serialize;

/// Amounts of attempts, blanks left out and counted.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Amounts {
    /// Attempts whose amount is known.
    pub known: usize,
    /// Attempts whose amount is not; they are in no figure here.
    pub blank: usize,
    pub sum: Option<f64>,
    pub mean: Option<f64>,
    pub median: Option<f64>,
}

impl Amounts {
    /// Of one amount an attempt.
    pub fn new(amounts: impl IntoIterator<Item = Option<f64>>) -> Self {
        let mut known = Vec::new();
        let mut blank = 0;
        for amount in amounts {
            match amount.filter(|amount| amount.is_finite()) {
                Some(amount) => known.push(amount),
                None => blank += 1,
            }
        }
        known.sort_unstable_by(f64::total_cmp);
        let sum = (!known.is_empty()).then(|| known.iter().sum::<f64>());
        Self {
            known: known.len(),
            blank,
            sum,
            mean: sum.map(|sum| sum / known.len() as f64),
            median: median(&known),
        }
    }
}

fn median(sorted: &[f64]) -> Option<f64> {
    let upper = *sorted.get(sorted.len() / 2)?;
    Some(match sorted.len() % 2 {
        1 => upper,
        _ => f64::midpoint(sorted[sorted.len() / 2 - 1], upper),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_are_counted_and_are_no_zeros() {
        let found = Amounts::new([Some(1.0), None, Some(4.0), Some(f64::NAN), Some(0.0), Some(2.0)]);
        assert_eq!((found.known, found.blank), (4, 2));
        assert_eq!(found.sum, Some(7.0));
        assert_eq!(found.mean, Some(1.75));
        assert_eq!(found.median, Some(1.5));
        let none = Amounts::new([None, None]);
        assert_eq!((none.known, none.blank, none.sum), (0, 2, None));
        assert_eq!((none.mean, none.median), (None, None));
        assert_eq!(Amounts::new([Some(3.0)]).median, Some(3.0));
    }
}
