//! A share of a whole, with its interval.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::domain::finding::Interval;

/// The normal quantile of a two-sided 95 %.
const Z_95: f64 = 1.959_963_984_540_054;

/// Successes out of a number of trials; `hits` never exceeds `of`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proportion {
    pub hits: u64,
    pub of: u64,
}

impl Proportion {
    /// The share of `flags` that is true.
    pub fn count(flags: impl IntoIterator<Item = bool>) -> Self {
        let mut share = Self::default();
        for flag in flags {
            share.of += 1;
            share.hits += u64::from(flag);
        }
        share
    }

    /// The share, between 0 and 1; `None` of nothing.
    pub fn share(self) -> Option<f64> {
        (self.of > 0).then(|| self.hits as f64 / self.of as f64)
    }

    /// The 95 % score interval of Wilson (1927); `None` of nothing.
    pub fn wilson(self) -> Option<Interval> {
        self.wilson_at(Z_95, 0.95)
    }

    /// Wilson's score interval, given the two-sided normal quantile `z` of `level`.
    pub fn wilson_at(self, z: f64, level: f64) -> Option<Interval> {
        Some(score_interval(self.share()?, self.of as f64, z, level))
    }
}

/// The 95 % score interval of the mean of `n` shares, as if each were a yes or
/// no; `None` of none.
pub fn wilson_of_mean(mean: f64, n: u64) -> Option<Interval> {
    wilson_of_mean_at(mean, n, Z_95, 0.95)
}

/// As [`wilson_of_mean`], given the two-sided normal quantile `z` of `level`.
pub fn wilson_of_mean_at(mean: f64, n: u64, z: f64, level: f64) -> Option<Interval> {
    (n > 0).then(|| score_interval(mean.clamp(0.0, 1.0), n as f64, z, level))
}

/// Wilson's score interval of a share whose trials come in clusters of these sizes, as if all of a cluster came out
/// alike: clusters take the place of trials, so many as equally large ones would be (the square of the sum of sizes
/// over the sum of their squares, Kish 1965). It is wide rather than narrow, and that of trials where each is alone.
pub fn wilson_of_clusters_at(
    share: Proportion,
    sizes: impl IntoIterator<Item = u64>,
    z: f64,
    level: f64,
) -> Option<Interval> {
    let squares: f64 = sizes.into_iter().map(|size| (size as f64).powi(2)).sum();
    let clusters = (share.of as f64).powi(2) / squares;
    Some(score_interval(share.share()?, clusters, z, level))
}

fn score_interval(share: f64, n: f64, z: f64, level: f64) -> Interval {
    let square = z * z;
    let centre = (share + square / (2.0 * n)) / (1.0 + square / n);
    let half = z / (1.0 + square / n) * (share * (1.0 - share) / n + square / (4.0 * n * n)).sqrt();
    // At the ends the bound is 0 or 1 exactly, and rounding would miss it.
    let lower = if share <= 0.0 { 0.0 } else { centre - half };
    let upper = if share >= 1.0 { 1.0 } else { centre + half };
    Interval { lower, upper, level }
}

impl fmt::Display for Proportion {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.hits, self.of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn percent(hits: u64, of: u64) -> (f64, f64) {
        let interval = Proportion { hits, of }.wilson().unwrap();
        let round = |share: f64| (share * 1000.0).round() / 10.0;
        (round(interval.lower), round(interval.upper))
    }

    #[test]
    fn the_intervals_of_nineteen_studies() {
        assert_eq!(percent(15, 19), (56.7, 91.5));
        assert_eq!(percent(13, 19), (46.0, 84.6));
    }

    #[test]
    fn clusters_are_the_trials() {
        let of = |hits, of, sizes: &[u64]| {
            wilson_of_clusters_at(Proportion { hits, of }, sizes.iter().copied(), Z_95, 0.95)
        };
        assert_eq!(of(2, 3, &[1, 1, 1]), Proportion { hits: 2, of: 3 }.wilson());
        // Twelve of twelve in two sixes are two of two.
        assert_eq!(of(12, 12, &[6, 6]), Proportion { hits: 2, of: 2 }.wilson());
        assert_eq!(of(6, 12, &[6, 6]), Proportion { hits: 1, of: 2 }.wilson());
        // 10² / (8² + 1 + 1): a large cluster leaves less than one and a half.
        let uneven = of(8, 10, &[8, 1, 1]).unwrap();
        assert_eq!(uneven, score_interval(0.8, 100.0 / 66.0, Z_95, 0.95));
        assert_eq!(of(0, 0, &[]), None);
    }

    #[test]
    fn ends_and_nothing() {
        assert_eq!(percent(0, 5).0, 0.0);
        assert_eq!(percent(5, 5).1, 100.0);
        assert_eq!(Proportion::default().wilson(), None);
        assert_eq!(Proportion::count([true, false, true]).to_string(), "2/3");
    }
}
