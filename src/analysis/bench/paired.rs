//! Outcomes of the same tasks in pairs, with clusters of tasks as the units: cells of a study are not independent.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::domain::finding::Interval;
use crate::statistics::intervals;

/// Two-sided, of the interval of a difference.
const LEVEL: f64 = 0.95;
/// Below any change of shares of as many cells as a bench may have, and above what rounding leaves.
const LEAST_CHANGE: f64 = 1e-12;

/// Two outcomes that are of the same task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutcomePair<'a> {
    pub task: &'a str,
    /// The tasks of one study, by a name.
    pub cluster: &'a str,
    pub first: bool,
    pub second: bool,
}

/// The difference between two sets of outcomes, paired and clustered by study.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PairedDifference {
    pub pairs: u64,
    /// Different tasks of the pairs.
    pub tasks: u64,
    /// Different clusters of these tasks: the units of everything below.
    pub clusters: u64,
    /// The second's share less the first's: of each task, of these the mean in each cluster, and of those the mean.
    pub difference: Option<f64>,
    /// By t over clusters, cut at −1 and 1; `None` of one cluster, or where all change alike.
    pub interval: Option<Interval>,
    /// Pairs in which one alone succeeded.
    pub only_first: u64,
    pub only_second: u64,
    /// Clusters at which the second succeeded more often than the first, and less often.
    pub clusters_up: u64,
    pub clusters_down: u64,
    /// Exact and two-sided: the sign test over clusters, of those that change. `None` where none does.
    pub p_value: Option<f64>,
    /// The smallest p-value that as many clusters can give.
    pub least_p_value: f64,
    /// Whether these are too few clusters to tell anything at p ≤ 0.05, however they change.
    pub too_few: bool,
}

impl PairedDifference {
    /// Counts pairs, in any order.
    pub fn new<'a>(pairs: &[OutcomePair<'a>]) -> Self {
        let tasks: BTreeSet<&str> = pairs.iter().map(|pair| pair.task).collect();
        let changes = changes(pairs);
        let clusters_of =
            |is_of: fn(f64) -> bool| changes.iter().filter(|change| is_of(**change)).count() as u64;
        let pairs_of = |first: bool| {
            pairs
                .iter()
                .filter(|pair| pair.first == first && pair.second != first)
                .count() as u64
        };
        let clusters = changes.len() as u64;
        let (clusters_up, clusters_down) = (
            clusters_of(|change| change > 0.0),
            clusters_of(|change| change < 0.0),
        );
        let least_p_value = sign_test(clusters, 0).unwrap_or(1.0);
        Self {
            pairs: pairs.len() as u64,
            tasks: tasks.len() as u64,
            clusters,
            difference: (clusters > 0).then(|| changes.iter().sum::<f64>() / clusters as f64),
            interval: intervals::mean(&changes, LEVEL).map(within_bounds),
            only_first: pairs_of(true),
            only_second: pairs_of(false),
            clusters_up,
            clusters_down,
            p_value: sign_test(clusters_up, clusters_down),
            least_p_value,
            too_few: least_p_value > 1.0 - LEVEL,
        }
    }
}

/// The change of each cluster: the mean over its tasks of what they change by. Changes that cancel out are none, and
/// not what rounding leaves of them.
fn changes(pairs: &[OutcomePair<'_>]) -> Vec<f64> {
    let mut clusters = BTreeMap::<&str, BTreeMap<&str, (i64, i64)>>::new();
    for pair in pairs {
        let tasks = clusters.entry(pair.cluster).or_default();
        let (change, count) = tasks.entry(pair.task).or_default();
        *change += i64::from(pair.second) - i64::from(pair.first);
        *count += 1;
    }
    let change = |tasks: &BTreeMap<&str, (i64, i64)>| {
        let changes = tasks
            .values()
            .map(|(change, count)| *change as f64 / *count as f64);
        let mean = changes.sum::<f64>() / tasks.len() as f64;
        match mean.abs() < LEAST_CHANGE {
            true => 0.0,
            false => mean,
        }
    };
    clusters.values().map(change).collect()
}

/// No difference of shares lies beyond −1 and 1.
fn within_bounds(interval: Interval) -> Interval {
    Interval {
        lower: interval.lower.max(-1.0),
        upper: interval.upper.min(1.0),
        ..interval
    }
}

/// The exact two-sided p-value of `one` against `other` where both are as likely; `None` of
/// nothing.
pub fn sign_test(one: u64, other: u64) -> Option<f64> {
    let n = one + other;
    if n == 0 {
        return None;
    }
    // The terms of the binomial, each from the one before; by logarithms only where 2^-n would vanish,
    // so that the p-values of few are those that anybody computes.
    let fewer = one.min(other);
    let ratio = |k: u64| (n - k) as f64 / (k + 1) as f64;
    let mut tail = 0.0;
    if n <= 1000 {
        let mut term = (0..n).fold(1.0, |half: f64, _| half / 2.0);
        for k in 0..=fewer {
            tail += term;
            term *= ratio(k);
        }
    } else {
        let mut term = -(n as f64) * std::f64::consts::LN_2;
        for k in 0..=fewer {
            tail += term.exp();
            term += ratio(k).ln();
        }
    }
    Some((2.0 * tail).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(tasks: &[(&'static str, &str)]) -> Vec<OutcomePair<'static>> {
        let one = |(task, marks): &(&'static str, &str)| {
            let pair = |mark: char| OutcomePair {
                task,
                cluster: task.split('/').next().unwrap_or(task),
                first: "-=".contains(mark),
                second: "+=".contains(mark),
            };
            marks.chars().map(pair).collect::<Vec<_>>()
        };
        tasks.iter().flat_map(one).collect()
    }

    /// Twelve pairs that all part one way are two tasks all the same.
    #[test]
    fn repeats_of_two_tasks_are_no_twelve_trials() {
        let found = PairedDifference::new(&pairs(&[("a", "++++++"), ("b", "++++++")]));
        assert_eq!((found.pairs, found.tasks, found.only_second), (12, 2, 12));
        assert_eq!((found.p_value, found.least_p_value), (Some(0.5), 0.5));
        assert!(found.too_few);
        assert_eq!((found.difference, found.interval), (Some(1.0), None));
    }

    #[test]
    fn six_tasks_can_tell_and_five_cannot() {
        let six = [
            ("a", "+"),
            ("b", "++"),
            ("c", "+"),
            ("d", "+."),
            ("e", "+"),
            ("f", "+++"),
        ];
        let found = PairedDifference::new(&pairs(&six));
        assert_eq!((found.p_value, found.too_few), (Some(0.031_25), false));
        let five = PairedDifference::new(&pairs(&six[..5]));
        assert_eq!((five.p_value, five.too_few), (Some(0.0625), true));
    }

    /// However many pairs a task has, it is one change.
    #[test]
    fn a_task_with_many_repeats_weighs_no_more_than_another() {
        let uneven = [("a", "----------"), ("b", "+"), ("c", "+"), ("d", "+.")];
        let found = PairedDifference::new(&pairs(&uneven));
        // -1, 1, 1, 1/2
        assert_eq!(found.difference, Some(0.375));
        assert_eq!((found.clusters_up, found.clusters_down), (3, 1));
        // R: binom.test(3, 4)$p.value
        assert_eq!(found.p_value, Some(0.625));
        // R: t.test(c(-1, 1, 1, .5))$conf.int is -1.1311 to 1.8811.
        let interval = found.interval.unwrap();
        assert_eq!((interval.lower, interval.upper), (-1.0, 1.0));
    }

    /// R: t.test(c(0, 0, 0, 0, 0, 0, 0, 0, .5, 1))$conf.int
    #[test]
    fn the_interval_is_of_tasks() {
        let ten: Vec<(&'static str, &str)> = ["a", "b", "c", "d", "e", "f", "g", "h"]
            .map(|task| (task, "==.."))
            .into_iter()
            .chain([("i", "+."), ("j", "++")])
            .collect();
        let found = PairedDifference::new(&pairs(&ten));
        let interval = found.interval.unwrap();
        assert!((interval.lower - -0.091_414_556).abs() < 1e-8, "{interval:?}");
        assert!((interval.upper - 0.391_414_556).abs() < 1e-8, "{interval:?}");
    }

    #[test]
    fn what_cancels_out_in_a_task_is_no_change() {
        let found = PairedDifference::new(&pairs(&[("a", "+-"), ("b", "=.")]));
        assert_eq!((found.only_first, found.only_second), (1, 1));
        assert_eq!(
            (found.clusters_up, found.clusters_down, found.p_value),
            (0, 0, None)
        );
        let none = PairedDifference::new(&[]);
        assert_eq!(
            (none.difference, none.p_value, none.least_p_value, none.too_few),
            (None, None, 1.0, true)
        );
    }

    /// Six claims of two studies are two trials, however large a study is.
    #[test]
    fn claims_of_one_study_are_one_cluster() {
        let tasks = [
            ("s/1", "+"),
            ("s/2", "+"),
            ("s/3", "+"),
            ("s/4", "+."),
            ("s/5", "+"),
            ("t/1", "-"),
        ];
        let found = PairedDifference::new(&pairs(&tasks));
        assert_eq!((found.pairs, found.tasks, found.clusters), (7, 6, 2));
        assert_eq!(
            (found.p_value, found.least_p_value, found.too_few),
            (Some(1.0), 0.5, true)
        );
        // 0.9 and -1
        assert!((found.difference.unwrap() - -0.05).abs() < 1e-12, "{found:?}");
        // A third, a third and minus two thirds: what rounding leaves is no change.
        let thirds = [("s/1", "+.."), ("s/2", "+.."), ("s/3", "--.")];
        let found = PairedDifference::new(&pairs(&thirds));
        assert_eq!((found.difference, found.p_value), (Some(0.0), None));
    }

    #[test]
    fn the_sign_test_is_exact() {
        assert_eq!(sign_test(0, 0), None);
        assert_eq!(sign_test(3, 3), Some(1.0));
        // R: binom.test(2, 10)$p.value
        assert!((sign_test(2, 8).unwrap() - 0.109_375).abs() < 1e-12);
        assert!((sign_test(8, 2).unwrap() - 0.109_375).abs() < 1e-12);
        // R: binom.test(450, 1000)$p.value and binom.test(450, 1001)$p.value
        for (other, expected) in [(550, 0.001_730_536_084_976_32), (551, 0.001_561_138_839_699_2)] {
            let found = sign_test(450, other).unwrap();
            assert!((found / expected - 1.0).abs() < 1e-9, "{found}");
        }
        let far = sign_test(0, 2_000).unwrap();
        assert!(far.is_finite() && far < 1e-300, "{far}");
    }
}
