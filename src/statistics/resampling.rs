//! Intervals of resampled values.

use crate::domain::finding::Interval;

/// The percentile interval of a level, interpolated between order statistics
/// (Hyndman and Fan's type 7, as numpy and R take it); `None` of no values, and of a
/// level that is not below 1.
pub fn percentile_interval(mut values: Vec<f64>, level: f64) -> Option<Interval> {
    if values.is_empty() || !(0.0..1.0).contains(&level) {
        return None;
    }
    values.sort_unstable_by(f64::total_cmp);
    let at = |probability: f64| {
        let place = probability * (values.len() - 1) as f64;
        let (low, share) = (place.floor() as usize, place.fract());
        let next = values.get(low + 1).copied().unwrap_or(values[low]);
        values[low] + share * (next - values[low])
    };
    Some(Interval {
        lower: at((1.0 - level) / 2.0),
        upper: at(f64::midpoint(1.0, level)),
        level,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_those_of_numpy() {
        // np.quantile([1, 2, 4, 8, 16], [.05, .95]) = [1.2, 14.4].
        let found = percentile_interval(vec![16.0, 1.0, 8.0, 2.0, 4.0], 0.9).unwrap();
        assert!((found.lower - 1.2).abs() < 1e-12 && (found.upper - 14.4).abs() < 1e-12);
        assert_eq!(percentile_interval(Vec::new(), 0.9), None);
        assert_eq!(percentile_interval(vec![1.0], 1.0), None);
        let single = percentile_interval(vec![3.0], 0.95).unwrap();
        assert_eq!((single.lower, single.upper), (3.0, 3.0));
    }
}
