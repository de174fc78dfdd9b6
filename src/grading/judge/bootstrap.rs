//! The score of marked fields and how far it hangs on which fields there are.

use std::collections::BTreeMap;

use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};

use crate::domain::finding::Interval;
use crate::scoring::aggregate::summary::mean;
use crate::statistics::proportion::Proportion;
use crate::statistics::resampling::percentile_interval;

/// Resamples; the seed is fixed so that a score is the same each time.
const REPLICATES: usize = 1_000;
const SEED: u64 = 20_260_211;

/// The mean over aspects of the mean over their fields; `None` of nothing.
pub fn score(aspects: &BTreeMap<String, Vec<f64>>) -> Option<f64> {
    let means: Vec<f64> = aspects.values().filter_map(|fields| mean(fields)).collect();
    mean(&means)
}

/// The 95 % interval of checkpoints, which are passed or not: as [`interval`],
/// and by Wilson where all came to the same; none where the gradings are split
/// on each, which is neither.
pub fn checkpoint_interval(aspects: &BTreeMap<String, Vec<f64>>) -> Option<Interval> {
    let marks = || aspects.values().flatten();
    let counted = || Proportion {
        hits: marks().filter(|mark| **mark > 0.0).count() as u64,
        of: marks().count() as u64,
    };
    let is_split = |mark: &f64| *mark > 0.0 && *mark < 1.0;
    interval(aspects).or_else(|| counted().wilson().filter(|_| !marks().any(is_split)))
}

/// The 95 % percentile interval over fields resampled within their aspects;
/// `None` of fewer than two fields, and where the fields of each aspect have
/// one mark, so that resampling shows no spread.
pub fn interval(aspects: &BTreeMap<String, Vec<f64>>) -> Option<Interval> {
    let varies = |fields: &Vec<f64>| fields.iter().any(|one| fields.first() != Some(one));
    if !aspects.values().any(varies) {
        return None;
    }
    let mut rng = StdRng::seed_from_u64(SEED);
    let drawn: Vec<f64> = (0..REPLICATES)
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
    percentile_interval(drawn, 0.95)
}

#[cfg(test)]
mod tests {
    use crate::grading::judge::bootstrap::*;

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
        let same = BTreeMap::from([("a".to_owned(), vec![1.0; 10])]);
        assert_eq!(interval(&same), None);
        let wilson = checkpoint_interval(&same).unwrap();
        assert!(
            (wilson.lower - 0.7225).abs() < 1e-4 && wilson.upper > 0.9999,
            "{wilson:?}"
        );
        assert_eq!(checkpoint_interval(&BTreeMap::new()), None);
        let split = BTreeMap::from([("a".to_owned(), vec![0.5; 10])]);
        assert_eq!(checkpoint_interval(&split), None);
    }
}
