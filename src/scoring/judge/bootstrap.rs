//! The score of marked fields and how far it hangs on which fields there are.

use std::collections::BTreeMap;

use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};

use crate::domain::finding::Interval;
use crate::scoring::aggregate::summary::mean;

/// Resamples; the seed is fixed so that a score is the same each time.
const REPLICATES: usize = 1_000;
const SEED: u64 = 20_260_211;

/// The mean over aspects of the mean over their fields; `None` of nothing.
pub fn score(aspects: &BTreeMap<String, Vec<f64>>) -> Option<f64> {
    let means: Vec<f64> = aspects.values().filter_map(|fields| mean(fields)).collect();
    mean(&means)
}

/// The 95 % percentile interval over fields resampled within their aspects;
/// `None` of fewer than two fields.
pub fn interval(aspects: &BTreeMap<String, Vec<f64>>) -> Option<Interval> {
    if aspects.values().map(Vec::len).sum::<usize>() < 2 {
        return None;
    }
    let mut rng = StdRng::seed_from_u64(SEED);
    let mut drawn: Vec<f64> = (0..REPLICATES)
        .filter_map(|_| {
            let means: Vec<f64> = aspects
                .values()
                .filter(|fields| !fields.is_empty())
                .map(|fields| {
                    let total: f64 = (0..fields.len())
                        .map(|_| fields[rng.random_range(0..fields.len())])
                        .sum();
                    total / fields.len() as f64
                })
                .collect();
            mean(&means)
        })
        .collect();
    drawn.sort_by(f64::total_cmp);
    let at = |share: f64| {
        drawn
            .get((share * (drawn.len().saturating_sub(1)) as f64).round() as usize)
            .copied()
    };
    Some(Interval {
        lower: at(0.025)?,
        upper: at(0.975)?,
        level: 0.95,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aspects_weigh_the_same_and_the_interval_is_repeatable() {
        let aspects = BTreeMap::from([
            ("a".to_owned(), vec![1.0; 30]),
            ("b".to_owned(), vec![0.0, 1.0]),
            ("c".to_owned(), Vec::new()),
        ]);
        assert_eq!(score(&aspects), Some(0.75));
        let found = interval(&aspects).unwrap();
        assert_eq!((found.lower, found.upper), (0.5, 1.0));
        assert_eq!(interval(&aspects), Some(found));
        assert_eq!(interval(&BTreeMap::from([("a".to_owned(), vec![1.0])])), None);
        assert_eq!(score(&BTreeMap::new()), None);
    }
}
