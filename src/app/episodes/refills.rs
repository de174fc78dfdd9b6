//! The cost of making episodes ready.

use std::sync::{Mutex, PoisonError};

use serde_json::{Value, json};

/// The most of them that are kept.
const KEPT: usize = 1_000;

/// Milliseconds that episodes of a pool took to be ready, the last thousand.
#[derive(Debug, Default)]
pub struct Refills(Mutex<RefillTimes>);

#[derive(Debug, Default)]
struct RefillTimes {
    count: u64,
    last: Vec<u64>,
}

impl Refills {
    /// Adds one.
    pub fn add(&self, milliseconds: u64) {
        let mut times = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = usize::try_from(times.count).unwrap_or(usize::MAX) % KEPT;
        match times.last.get_mut(at) {
            Some(slot) => *slot = milliseconds,
            None => times.last.push(milliseconds),
        }
        times.count += 1;
    }

    /// How many there were, and the median, the 95th percentile and the longest of those that are kept.
    pub fn told(&self) -> Value {
        let times = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut sorted = times.last.clone();
        sorted.sort_unstable();
        let at = |share: usize| sorted.get((sorted.len().saturating_sub(1)) * share / 100);
        json!({ "count": times.count, "median_ms": at(50), "p95_ms": at(95), "longest_ms": sorted.last() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_thousand_are_summed_up() {
        let refills = Refills::default();
        assert_eq!(refills.told()["median_ms"], Value::Null);
        for milliseconds in (1..=1_100).rev() {
            refills.add(milliseconds);
        }
        // Of 1 to 1000: the first hundred, which were the longest, are gone.
        assert_eq!(
            refills.told(),
            json!({ "count": 1_100, "median_ms": 500, "p95_ms": 950, "longest_ms": 1_000 })
        );
    }
}
