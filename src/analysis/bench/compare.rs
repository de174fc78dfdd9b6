//! Two sets of cells, compared where they are of the same tasks.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::cell::{BenchCell, TaskKind};
use super::figures::sign_test;
use crate::analysis::capsule::accuracy::CountedShare;
use crate::domain::finding::Interval;
use crate::statistics::intervals;

/// Two-sided, below which a difference is told.
const LEVEL: f64 = 0.95;

/// Two sets of cells of one kind.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BenchComparison {
    pub kind: TaskKind,
    /// Cells of both that are the same but for the set, and count in both.
    pub pairs: u64,
    pub tasks: usize,
    /// Of the pairs alone.
    pub first: CountedShare,
    pub second: CountedShare,
    /// The second's share less the first's, as the mean over tasks; so is its interval (t), where
    /// tasks differ at all.
    pub difference: Option<f64>,
    pub interval: Option<Interval>,
    pub only_first: u64,
    pub only_second: u64,
    /// Exact and two-sided over pairs (McNemar); over tasks with one pair each it is a test of tasks.
    pub p_value: Option<f64>,
    /// The smallest p-value that as many pairs can give: above 0.05 nothing can be told.
    pub least_p_value: f64,
    /// Cells without a counterpart that counts.
    pub first_alone: usize,
    pub second_alone: usize,
    pub parted: Vec<PartedCell>,
}

/// A pair with two outcomes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PartedCell {
    pub task: String,
    /// Empty where agents are compared.
    pub agent: String,
    pub arm: BTreeMap<String, String>,
    pub repeat: u32,
    pub first: String,
    pub second: String,
}

/// The parts of a cell that it has in common with its counterpart.
type PairKey<'a> = (&'a str, &'a str, Vec<(&'a str, &'a str)>, u32);

/// Compares two sets of cells, kind by kind. Where each has one agent, the agents are what is
/// compared, whatever they are called.
pub fn compare(first: &[BenchCell], second: &[BenchCell]) -> Vec<BenchComparison> {
    let of_agents = [first, second].iter().all(|cells| {
        let agents: BTreeSet<&str> = cells.iter().map(|cell| cell.agent.as_str()).collect();
        agents.len() == 1
    });
    let kinds: BTreeSet<TaskKind> = first.iter().chain(second).map(|cell| cell.kind).collect();
    kinds
        .into_iter()
        .map(|kind| {
            of_kind(
                kind,
                &keyed(first, kind, of_agents),
                &keyed(second, kind, of_agents),
            )
        })
        .collect()
}

/// The cells of a kind that count, by what they are.
fn keyed(cells: &[BenchCell], kind: TaskKind, of_agents: bool) -> BTreeMap<PairKey<'_>, &BenchCell> {
    let counted = cells
        .iter()
        .filter(|cell| cell.kind == kind && cell.result.is_success().is_some());
    counted
        .map(|cell| {
            let arm = cell.arm.iter();
            let arm = arm.map(|(name, value)| (name.as_str(), value.as_str())).collect();
            let agent = if of_agents { "" } else { cell.agent.as_str() };
            ((cell.task.as_str(), agent, arm, cell.repeat), cell)
        })
        .collect()
}

fn of_kind(
    kind: TaskKind,
    first: &BTreeMap<PairKey<'_>, &BenchCell>,
    second: &BTreeMap<PairKey<'_>, &BenchCell>,
) -> BenchComparison {
    let mut by_task = BTreeMap::<&str, Vec<f64>>::new();
    let (mut flags, mut parted) = (Vec::new(), Vec::new());
    for (key, one) in first {
        let Some(other) = second.get(key) else {
            continue;
        };
        let (Some(before), Some(after)) = (one.result.is_success(), other.result.is_success()) else {
            continue;
        };
        flags.push((before, after));
        let change = f64::from(u8::from(after)) - f64::from(u8::from(before));
        by_task.entry(key.0).or_default().push(change);
        if before != after {
            parted.push(PartedCell {
                task: key.0.to_owned(),
                agent: key.1.to_owned(),
                arm: one.arm.clone(),
                repeat: key.3,
                first: one.words.clone(),
                second: other.words.clone(),
            });
        }
    }
    let changes: Vec<f64> = by_task
        .values()
        .map(|changes| changes.iter().sum::<f64>() / changes.len() as f64)
        .collect();
    let count = |wanted: (bool, bool)| flags.iter().filter(|pair| **pair == wanted).count() as u64;
    let (only_first, only_second) = (count((true, false)), count((false, true)));
    let pairs = flags.len() as u64;
    BenchComparison {
        kind,
        pairs,
        tasks: changes.len(),
        first: CountedShare::count(flags.iter().map(|pair| pair.0)),
        second: CountedShare::count(flags.iter().map(|pair| pair.1)),
        difference: (!changes.is_empty()).then(|| changes.iter().sum::<f64>() / changes.len() as f64),
        interval: intervals::mean(&changes, LEVEL),
        only_first,
        only_second,
        p_value: sign_test(only_first, only_second),
        least_p_value: sign_test(pairs, 0).unwrap_or(1.0),
        first_alone: first.len() - flags.len(),
        second_alone: second.len() - flags.len(),
        parted,
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::analysis::bench::cell::CellResult;
    use crate::analysis::bench::details::CellDetails;

    fn cell(task: &str, agent: &str, repeat: u32, result: CellResult) -> BenchCell {
        BenchCell {
            cell: format!("{task}-{agent}-{repeat}"),
            kind: TaskKind::Capsule,
            task: task.to_owned(),
            agent: agent.to_owned(),
            arm: BTreeMap::new(),
            repeat,
            attempt: 1,
            folder: PathBuf::new(),
            result,
            words: format!("{result:?}"),
            score: None,
            tokens: 0,
            cost: None,
            seconds: None,
            labelled: None,
            details: CellDetails::default(),
        }
    }

    #[test]
    fn pairs_are_of_the_same_task_and_tasks_are_what_is_averaged() {
        use CellResult::{NotSolved, Solved, Unscored};
        let first = [
            cell("a", "x", 1, Solved),
            cell("a", "x", 2, Solved),
            cell("b", "x", 1, NotSolved),
            cell("c", "x", 1, Unscored),
            cell("d", "x", 1, Solved),
        ];
        let second = [
            cell("a", "y", 1, NotSolved),
            cell("a", "y", 2, Solved),
            cell("b", "y", 1, Solved),
            cell("c", "y", 1, Solved),
            cell("e", "y", 1, Solved),
        ];
        let [found] = &compare(&first, &second)[..] else {
            panic!("one kind");
        };
        assert_eq!(
            (found.pairs, found.tasks, found.only_first, found.only_second),
            (3, 2, 1, 1)
        );
        // a: -1/2, b: +1.
        assert_eq!(found.difference, Some(0.25));
        let interval = found.interval.unwrap();
        // R: t.test(c(-0.5, 1))$conf.int
        assert!((interval.lower - -9.279_653).abs() < 1e-5 && (interval.upper - 9.779_653).abs() < 1e-5);
        assert_eq!((found.first_alone, found.second_alone), (1, 2));
        assert_eq!(found.p_value, Some(1.0));
        assert!((found.least_p_value - 0.25).abs() < 1e-12);
        assert_eq!(found.parted.len(), 2);
        assert_eq!(
            (found.parted[0].first.as_str(), found.parted[0].second.as_str()),
            ("Solved", "NotSolved")
        );
    }

    #[test]
    fn agents_of_benches_with_several_are_paired_by_their_names() {
        use CellResult::{NotSolved, Solved};
        let first = [cell("a", "x", 1, Solved), cell("a", "y", 1, NotSolved)];
        let second = [cell("a", "x", 1, NotSolved), cell("a", "z", 1, Solved)];
        let found = compare(&first, &second);
        assert_eq!((found[0].pairs, found[0].only_first), (1, 1));
        assert_eq!(found[0].parted[0].agent, "x");
        assert!(compare(&[], &[]).is_empty());
        let none = compare(&first, &[]);
        assert_eq!(
            (none[0].pairs, none[0].difference, none[0].p_value),
            (0, None, None)
        );
        assert_eq!(none[0].least_p_value, 1.0);
    }
}
