//! A share of a whole, with its interval.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::domain::finding::Interval;

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
        self.wilson_at(1.959_963_984_540_054, 0.95)
    }

    /// Wilson's score interval, given the two-sided normal quantile `z` of `level`.
    pub fn wilson_at(self, z: f64, level: f64) -> Option<Interval> {
        let share = self.share()?;
        let n = self.of as f64;
        let square = z * z;
        let centre = (share + square / (2.0 * n)) / (1.0 + square / n);
        let half = z / (1.0 + square / n) * (share * (1.0 - share) / n + square / (4.0 * n * n)).sqrt();
        // At the ends the bound is 0 or 1 exactly, and rounding would miss it.
        let lower = if self.hits == 0 { 0.0 } else { centre - half };
        let upper = if self.hits == self.of { 1.0 } else { centre + half };
        Some(Interval { lower, upper, level })
    }
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
    fn ends_and_nothing() {
        assert_eq!(percent(0, 5).0, 0.0);
        assert_eq!(percent(5, 5).1, 100.0);
        assert_eq!(Proportion::default().wilson(), None);
        assert_eq!(Proportion::count([true, false, true]).to_string(), "2/3");
    }
}
