//! Agreement beyond chance on values without an order.

use std::collections::BTreeMap;

/// Krippendorff's alpha with nominal distances, of any number of raters.
///
/// Each unit lists the raters' values, `None` where one is missing; units with fewer than two values
/// say nothing. `None` where no unit has two, or where there is one value alone.
/// Source: Krippendorff (2011), "Computing Krippendorff's Alpha-Reliability".
pub fn nominal_alpha<'a>(units: impl IntoIterator<Item = &'a [Option<String>]>) -> Option<f64> {
    let mut margins = BTreeMap::<&str, f64>::new();
    let mut observed = 0.0;
    for unit in units {
        let mut counts = BTreeMap::<&str, f64>::new();
        for value in unit.iter().flatten() {
            *counts.entry(value).or_default() += 1.0;
        }
        let values: f64 = counts.values().sum();
        if values < 2.0 {
            continue;
        }
        let alike: f64 = counts.values().map(|count| count * (count - 1.0)).sum();
        observed += (values * (values - 1.0) - alike) / (values - 1.0);
        for (value, count) in counts {
            *margins.entry(value).or_default() += count;
        }
    }
    let n: f64 = margins.values().sum();
    let alike: f64 = margins.values().map(|count| count * (count - 1.0)).sum();
    let expected = n * (n - 1.0) - alike;
    (expected > 0.0).then(|| 1.0 - (n - 1.0) * observed / expected)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn units(rows: &[[u8; 12]]) -> Vec<Vec<Option<String>>> {
        (0..12)
            .map(|unit| {
                let values = rows.iter().map(|row| row[unit]);
                values
                    .map(|value| (value > 0).then(|| value.to_string()))
                    .collect()
            })
            .collect()
    }

    fn alpha(units: &[Vec<Option<String>>]) -> Option<f64> {
        nominal_alpha(units.iter().map(Vec::as_slice))
    }

    #[test]
    fn krippendorffs_own_example() {
        // Krippendorff (2011), section C: four observers, twelve units, nominal alpha 0.743.
        let rows = [
            [1, 2, 3, 3, 2, 1, 4, 1, 2, 0, 0, 0],
            [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, 0, 3],
            [0, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, 0],
            [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, 0],
        ];
        let found = alpha(&units(&rows)).unwrap();
        assert_eq!((found * 1000.0).round(), 743.0, "{found}");
    }

    #[test]
    fn one_value_alone_and_single_values_say_nothing() {
        let same = vec![vec![Some("a".to_owned()); 3]; 4];
        assert_eq!(alpha(&same), None);
        assert_eq!(alpha(&[vec![Some("a".to_owned()), None]]), None);
        assert_eq!(alpha(&[]), None);
    }
}
