//! The GRIM test: whether a mean can be one of whole numbers.

use super::number_range::NumberRange;
use super::reported::Rounded;

/// Whether some sum of whole answers, divided by `n` people times `items`
/// answers each, rounds to the mean. `None` where every mean is possible: when
/// the steps between means are finer than the printed digits (Brown and
/// Heathers 2017).
pub fn possible(mean: Rounded, n: u64, items: u64) -> Option<bool> {
    let answers = n.checked_mul(items).filter(|answers| *answers > 0)? as f64;
    if answers >= 10f64.powi(mean.decimals) {
        return None;
    }
    let NumberRange { low, high } = mean.range();
    let first = (low * answers - 1e-9).ceil();
    Some(first <= high * answers + 1e-9)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn is_possible(mean: &str, n: u64) -> Option<bool> {
        possible(Rounded::parse(mean).unwrap(), n, 1)
    }

    #[test]
    fn the_published_example_is_impossible() {
        // Brown and Heathers (2017): 5.19 with 28 people; 145/28 is 5.18 and 146/28 is 5.21.
        assert_eq!(is_possible("5.19", 28), Some(false));
        assert_eq!(is_possible("5.18", 28), Some(true));
        assert_eq!(is_possible("5.21", 28), Some(true));
        assert_eq!(is_possible("5.19", 100), None);
        assert_eq!(possible(Rounded::parse("3.45").unwrap(), 0, 1), None);
    }

    proptest! {
        #[test]
        fn a_true_mean_is_possible(sum in 0_u64..2000, n in 1_u64..99, decimals in 1_usize..4) {
            let mean = format!("{:.decimals$}", sum as f64 / n as f64);
            prop_assert_ne!(is_possible(&mean, n), Some(false));
        }
    }
}
