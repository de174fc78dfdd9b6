//! The figures of a bench: by agent and by arm.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::cell::{BenchCell, CellResult, TaskKind};
use super::clusters::StudyClusters;
use crate::analysis::capsule::accuracy::CountedShare;
use crate::analysis::capsule::amounts::Amounts;
use crate::analysis::capsule::reliability::{Reliability, reliability_of_tasks, usual_repeats};
use crate::analysis::capsule::repeats::{PassesOfK, TaskRepeats, passes_of_tasks};

/// The figures of some cells of one kind.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CellFigures {
    pub kind: TaskKind,
    /// The agent, or an arm as `setting = value`.
    pub name: String,
    pub cells: usize,
    /// Different tasks.
    pub tasks: usize,
    /// Different clusters of these tasks: the tasks of one study are one.
    pub clusters: usize,
    pub unscored: usize,
    /// Cells that reached what they were run for, of those that count; with an interval over clusters.
    pub success: CountedShare,
    /// The results and how often each came about.
    pub results: BTreeMap<CellResult, usize>,
    pub score: Amounts,
    /// Chances over repeats of a task under one arm, whose mean over the arms and tasks of a cluster is the cluster's;
    /// none of single cells.
    pub passes: Vec<PassesOfK>,
    /// Over the clusters with a task with as many cells that count, under some arm, as most have; `None` where
    /// these are single.
    pub reliability: Option<Reliability>,
    /// US dollars.
    pub cost: Amounts,
    pub seconds: Amounts,
    pub tokens: Amounts,
}

impl CellFigures {
    /// The figures of the same agent or arm among others, where they are of fewer cells.
    pub fn of_fewer<'a>(&self, others: &'a [Self]) -> Option<&'a Self> {
        let is_same = |other: &&Self| (other.kind, &other.name) == (self.kind, &self.name);
        others
            .iter()
            .find(is_same)
            .filter(|other| other.cells != self.cells)
    }

    fn new(kind: TaskKind, name: String, cells: &[&BenchCell], clusters: &StudyClusters<'_>) -> Self {
        let mut results = BTreeMap::new();
        for cell in cells {
            *results.entry(cell.result).or_insert(0) += 1;
        }
        let repeats = repeats(cells);
        let usual = usual_repeats(repeats.values()).filter(|usual| *usual > 1);
        let cluster_of: BTreeMap<&str, &str> = (cells.iter())
            .map(|cell| (cell.task.as_str(), clusters.of(cell)))
            .collect();
        let mut of_clusters = BTreeMap::<&str, Vec<&TaskRepeats>>::new();
        for ((task, ..), own) in &repeats {
            let cluster = cluster_of.get(task).unwrap_or(task);
            of_clusters.entry(cluster).or_default().push(own);
        }
        let of_clusters: Vec<Vec<&TaskRepeats>> = of_clusters.into_values().collect();
        let tasks: BTreeSet<_> = cells.iter().map(|cell| &cell.task).collect();
        Self {
            kind,
            name,
            cells: cells.len(),
            tasks: tasks.len(),
            clusters: clusters.count(cells.iter().copied()),
            unscored: results.get(&CellResult::Unscored).copied().unwrap_or(0),
            success: clusters.success(cells),
            results,
            passes: usual.map_or_else(Vec::new, |_| passes_of_tasks(&of_clusters)),
            reliability: usual.and_then(|usual| reliability_of_tasks(&of_clusters, usual)),
            score: Amounts::new(cells.iter().map(|cell| cell.score)),
            cost: Amounts::new(cells.iter().map(|cell| cell.cost.map(|cost| cost.0 as f64 / 1e6))),
            seconds: Amounts::new(cells.iter().map(|cell| cell.seconds)),
            tokens: Amounts::new(cells.iter().map(|cell| Some(cell.tokens as f64))),
        }
    }
}

/// A task under one arm, by one agent.
type RepeatedCell<'a> = (&'a str, &'a str, Vec<(&'a str, &'a str)>);

/// The cells that count, by what they are repeats of.
fn repeats<'a>(cells: &[&'a BenchCell]) -> BTreeMap<RepeatedCell<'a>, TaskRepeats> {
    let mut repeats = BTreeMap::<_, TaskRepeats>::new();
    for cell in cells {
        let Some(success) = cell.result.is_success() else {
            continue;
        };
        let arm = cell.arm.iter();
        let arm = arm.map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let own = repeats
            .entry((cell.task.as_str(), cell.agent.as_str(), arm))
            .or_default();
        own.solved.push(success);
        own.tokens.extend((cell.tokens > 0).then_some(cell.tokens as f64));
    }
    repeats
}

/// The commonest verdict on studies, and how many it is.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct CommonestVerdict {
    pub verdict: CellResult,
    /// Of the cells with a verdict.
    pub share: CountedShare,
}

/// What an agent would agree with that always says the commonest verdict; of two as common, the first
/// of met, unmet and inconclusive. `None` where there is no verdict.
pub fn commonest_verdict(cells: &[BenchCell]) -> Option<CommonestVerdict> {
    const VERDICTS: [CellResult; 3] = [CellResult::Met, CellResult::Unmet, CellResult::Inconclusive];
    let of = |verdict| cells.iter().filter(|cell| cell.result == verdict).count();
    let verdict = VERDICTS.into_iter().rev().max_by_key(|verdict| of(*verdict))?;
    let verdicts = cells.iter().filter(|cell| VERDICTS.contains(&cell.result));
    let share = CountedShare::count(verdicts.map(|cell| cell.result == verdict));
    (share.count.of > 0).then_some(CommonestVerdict { verdict, share })
}

/// The figures of each agent, kind by kind.
pub fn by_agent(cells: &[BenchCell]) -> Vec<CellFigures> {
    grouped(cells, |cell| vec![cell.agent.clone()])
}

/// The figures of each value of each setting that has several.
pub fn by_arm(cells: &[BenchCell]) -> Vec<CellFigures> {
    grouped(cells, |cell| {
        let arm = cell.arm.iter();
        arm.map(|(setting, value)| format!("{setting} = {value}"))
            .collect()
    })
}

/// The figures of the same agents or arms over fewer cells, summed up `by` either: one that none of these is of has no
/// cells, and is there all the same. Nothing where there are no fewer cells.
pub fn of_same(
    all: &[CellFigures],
    fewer: Option<&[BenchCell]>,
    by: fn(&[BenchCell]) -> Vec<CellFigures>,
) -> Vec<CellFigures> {
    let Some(fewer) = fewer else {
        return Vec::new();
    };
    let mut fewer = by(fewer);
    let is_there = |one: &CellFigures, known: &[CellFigures]| {
        (known.iter()).any(|other| (other.kind, &other.name) == (one.kind, &one.name))
    };
    for one in all {
        if !is_there(one, &fewer) {
            fewer.push(CellFigures::new(
                one.kind,
                one.name.clone(),
                &[],
                &StudyClusters::default(),
            ));
        }
    }
    fewer.sort_by(|one, other| (one.kind, &one.name).cmp(&(other.kind, &other.name)));
    fewer
}

fn grouped(cells: &[BenchCell], names: impl Fn(&BenchCell) -> Vec<String>) -> Vec<CellFigures> {
    let clusters = StudyClusters::new(cells);
    let mut groups = BTreeMap::<(TaskKind, String), Vec<&BenchCell>>::new();
    for cell in cells {
        for name in names(cell) {
            groups.entry((cell.kind, name)).or_default().push(cell);
        }
    }
    groups
        .into_iter()
        .map(|((kind, name), cells)| CellFigures::new(kind, name, &cells, &clusters))
        .collect()
}

#[cfg(test)]
#[path = "figures_tests.rs"]
pub mod tests;
