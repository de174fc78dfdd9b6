//! Two sets of cells, compared where they are of the same tasks.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::cell::{BenchCell, TaskKind};
use super::cell_pairs::{Compared, PositionedCells, difference, shares};
use super::clusters::StudyClusters;
use super::paired::PairedDifference;
use crate::analysis::capsule::accuracy::CountedShare;

/// Two sets of cells of one kind.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BenchComparison {
    pub kind: TaskKind,
    /// Of the pairs alone.
    pub first: CountedShare,
    pub second: CountedShare,
    /// Over cells of both that are the same but for the set, and count in both.
    #[serde(flatten)]
    pub paired: PairedDifference,
    /// Cells without a counterpart that counts.
    pub first_alone: usize,
    pub second_alone: usize,
    /// Cells that are not told apart from another of their own set, and are in no pair.
    pub first_ambiguous: usize,
    pub second_ambiguous: usize,
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

/// Compares two sets of cells, kind by kind. Where each has one agent, the agents are what is
/// compared, whatever they are called.
pub fn compare(first: &[BenchCell], second: &[BenchCell]) -> Vec<BenchComparison> {
    let of_agents = [first, second].iter().all(|cells| {
        let agents: BTreeSet<&str> = cells.iter().map(|cell| cell.agent.as_str()).collect();
        agents.len() == 1
    });
    let compared = match of_agents {
        true => Compared::Agents,
        false => Compared::Benches,
    };
    let kinds: BTreeSet<TaskKind> = first.iter().chain(second).map(|cell| cell.kind).collect();
    let clusters = StudyClusters::new(first.iter().chain(second));
    let positioned = |cells, kind| {
        let cells: &[BenchCell] = cells;
        let own = cells.iter().filter(|cell| cell.kind == kind);
        PositionedCells::new(own, compared, &clusters)
    };
    kinds
        .into_iter()
        .map(|kind| of_kind(kind, &positioned(first, kind), &positioned(second, kind)))
        .collect()
}

fn of_kind(kind: TaskKind, first: &PositionedCells<'_>, second: &PositionedCells<'_>) -> BenchComparison {
    let pairs = first.pairs(second);
    let [first_share, second_share] = shares(&pairs);
    let parted = pairs
        .iter()
        .filter(|pair| pair.outcomes.first != pair.outcomes.second)
        .map(|pair| PartedCell {
            task: pair.position.task.to_owned(),
            agent: pair.position.agent.to_owned(),
            arm: pair.first.arm.clone(),
            repeat: pair.position.repeat,
            first: pair.first.words.clone(),
            second: pair.second.words.clone(),
        });
    BenchComparison {
        kind,
        first: first_share,
        second: second_share,
        paired: difference(&pairs),
        first_alone: first.count() - pairs.len(),
        second_alone: second.count() - pairs.len(),
        first_ambiguous: first.ambiguous,
        second_ambiguous: second.ambiguous,
        parted: parted.collect(),
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
            study: Vec::new(),
            gone: false,
            labelled: None,
            judged: None,
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
            (
                found.paired.pairs,
                found.paired.tasks,
                found.paired.only_first,
                found.paired.only_second
            ),
            (3, 2, 1, 1)
        );
        // a: -1/2, b: +1.
        assert_eq!(found.paired.difference, Some(0.25));
        let interval = found.paired.interval.unwrap();
        assert_eq!((interval.lower, interval.upper), (-1.0, 1.0));
        assert_eq!((found.first_alone, found.second_alone), (1, 2));
        assert_eq!(
            (found.paired.p_value, found.paired.least_p_value),
            (Some(1.0), 0.5)
        );
        assert_eq!(found.parted.len(), 2);
        assert_eq!(
            (found.parted[0].first.as_str(), found.parted[0].second.as_str()),
            ("Solved", "NotSolved")
        );
    }

    /// The claims of a study are a cluster, also where each bench has another one of the marks that join them.
    #[test]
    fn claims_of_one_study_are_one_cluster() {
        use CellResult::{NotSolved, Solved};
        let of = |task: &str, agent: &str, mark: &str, result| BenchCell {
            study: vec![mark.to_owned()],
            ..cell(task, agent, 1, result)
        };
        let first = ["a", "b", "c"].map(|task| of(task, "x", "doi:1", NotSolved));
        let second = ["a", "b", "c"].map(|task| of(task, "y", task, Solved));
        let found = &compare(&first, &second)[0].paired;
        assert_eq!((found.tasks, found.clusters, found.p_value), (3, 1, Some(1.0)));
    }

    #[test]
    fn agents_of_benches_with_several_are_paired_by_their_names() {
        use CellResult::{NotSolved, Solved};
        let first = [cell("a", "x", 1, Solved), cell("a", "y", 1, NotSolved)];
        let second = [cell("a", "x", 1, NotSolved), cell("a", "z", 1, Solved)];
        let found = compare(&first, &second);
        assert_eq!((found[0].paired.pairs, found[0].paired.only_first), (1, 1));
        assert_eq!(found[0].parted[0].agent, "x");
        assert!(compare(&[], &[]).is_empty());
        let none = compare(&first, &[]);
        assert_eq!(
            (
                none[0].paired.pairs,
                none[0].paired.difference,
                none[0].paired.p_value
            ),
            (0, None, None)
        );
        assert_eq!(none[0].paired.least_p_value, 1.0);
    }
}
