//! The marks that judges gave the runs of cells, beside the shares of cells and in none of them.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::cell::{BenchCell, TaskKind};
use super::clusters::StudyClusters;
use super::judged_cell::JudgedCell;
use crate::domain::finding::Interval;
use crate::scoring::aggregate::summary::mean;
use crate::statistics::intervals;

/// Two-sided, of the interval of a mean.
const LEVEL: f64 = 0.95;
/// The setting that names a judge.
pub const JUDGE: &str = "judge";

/// The marks of one judge for the cells of an agent, at one stage.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct JudgedFigures {
    pub kind: TaskKind,
    pub agent: String,
    pub judge: String,
    pub stage: String,
    /// Cells that are the judge's, whether it has marked them or not.
    pub cells: usize,
    /// Of these, those with a score at this stage.
    pub scored: usize,
    pub clusters: usize,
    /// The mean over the cells of each task, then over the tasks of each cluster, and then over clusters.
    pub mean: f64,
    /// By t over clusters, cut at 0 and 1; absent where there is one, or all are alike.
    pub interval: Option<Interval>,
    /// The mean floor and the mean ceiling of the scored cells that have one.
    pub floor: Option<f64>,
    pub ceiling: Option<f64>,
}

/// The marks of each agent by each judge, stage by stage. Two judges are never in one figure.
pub fn judged(cells: &[BenchCell]) -> Vec<JudgedFigures> {
    let clusters = StudyClusters::new(cells);
    let mut groups = BTreeMap::<(TaskKind, &str, &str), Vec<(&BenchCell, &JudgedCell)>>::new();
    for cell in cells {
        if let Some(judged) = &cell.judged {
            let key = (cell.kind, cell.agent.as_str(), judged.judge.as_str());
            groups.entry(key).or_default().push((cell, judged));
        }
    }
    let figures = groups.into_iter().flat_map(|((kind, agent, judge), cells)| {
        let stages = stages(&cells);
        let own = JudgedCells {
            kind,
            agent,
            judge,
            cells,
        };
        let figures = stages.into_iter().filter_map(|stage| own.at(stage, &clusters));
        figures.collect::<Vec<_>>()
    });
    figures.collect()
}

/// The stages that some cell has a score at, in the order in which cells have them.
fn stages<'a>(cells: &[(&'a BenchCell, &'a JudgedCell)]) -> Vec<&'a str> {
    let mut stages: Vec<&str> = Vec::new();
    for (_, judged) in cells {
        let mut behind = 0;
        for stage in &judged.stages {
            match stages.iter().position(|known| *known == stage.stage) {
                Some(at) => behind = at + 1,
                None => {
                    stages.insert(behind, &stage.stage);
                    behind += 1;
                }
            }
        }
    }
    stages
}

/// The cells of an agent that are one judge's.
struct JudgedCells<'a> {
    kind: TaskKind,
    agent: &'a str,
    judge: &'a str,
    cells: Vec<(&'a BenchCell, &'a JudgedCell)>,
}

impl JudgedCells<'_> {
    /// The marks at a stage; `None` where no cell has one.
    fn at(&self, stage: &str, clusters: &StudyClusters<'_>) -> Option<JudgedFigures> {
        let mut of_tasks = BTreeMap::<(&str, &str), Vec<f64>>::new();
        let (mut floors, mut ceilings) = (Vec::new(), Vec::new());
        let mut scored = 0;
        for (cell, judged) in &self.cells {
            let Some(own) = judged.stages.iter().find(|own| own.stage == stage) else {
                continue;
            };
            scored += 1;
            of_tasks
                .entry((clusters.of(cell), &cell.task))
                .or_default()
                .push(own.score);
            floors.extend(own.floor);
            ceilings.extend(own.ceiling);
        }
        let mut of_clusters = BTreeMap::<&str, Vec<f64>>::new();
        for ((cluster, _), scores) in of_tasks {
            of_clusters.entry(cluster).or_default().extend(mean(&scores));
        }
        let means: Vec<f64> = of_clusters.values().filter_map(|scores| mean(scores)).collect();
        Some(JudgedFigures {
            kind: self.kind,
            agent: self.agent.to_owned(),
            judge: self.judge.to_owned(),
            stage: stage.to_owned(),
            cells: self.cells.len(),
            scored,
            clusters: means.len(),
            mean: mean(&means)?,
            interval: intervals::mean(&means, LEVEL).map(|interval| Interval {
                lower: interval.lower.max(0.0),
                upper: interval.upper.min(1.0),
                ..interval
            }),
            floor: mean(&floors),
            ceiling: mean(&ceilings),
        })
    }
}

/// The judge of a cell, as far as it matters with which others it may stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CellsJudge<'a> {
    pub kind: TaskKind,
    pub judge: &'a str,
    /// Whether it is told by the cell's arm.
    pub is_arm: bool,
}

impl<'a> CellsJudge<'a> {
    /// The judge of a cell that was judged.
    pub fn of_cell(cell: &'a BenchCell) -> Option<Self> {
        Some(Self {
            kind: cell.kind,
            judge: &cell.judged.as_ref()?.judge,
            is_arm: cell.arm.contains_key(JUDGE),
        })
    }
}

/// Judges of tasks of one kind that no arm tells apart, where there are several: their marks would be pooled.
pub fn pooled<'a>(judges: impl IntoIterator<Item = CellsJudge<'a>>) -> Option<(TaskKind, Vec<&'a str>)> {
    let mut of_kinds = BTreeMap::<TaskKind, (BTreeSet<&str>, bool)>::new();
    for one in judges {
        let (names, all_arms) = of_kinds.entry(one.kind).or_insert((BTreeSet::new(), true));
        names.insert(one.judge);
        *all_arms &= one.is_arm;
    }
    let mut pooled = of_kinds
        .into_iter()
        .filter(|(_, (names, all_arms))| names.len() > 1 && !all_arms);
    let (kind, (names, _)) = pooled.next()?;
    Some((kind, names.into_iter().collect()))
}

#[cfg(test)]
mod tests {
    use super::super::cell::CellResult;
    use super::super::figures::tests::cell;
    use super::super::judged_cell::JudgedStage;
    use super::*;

    fn marked(task: &str, paper: &str, judge: &str, scores: &[(&str, f64)]) -> BenchCell {
        let stages = scores.iter().map(|(stage, score)| JudgedStage {
            stage: (*stage).to_owned(),
            score: *score,
            floor: (*stage == "design").then_some(0.25),
            ceiling: None,
        });
        BenchCell {
            study: vec![paper.to_owned()],
            judged: Some(JudgedCell {
                judge: judge.to_owned(),
                stages: stages.collect(),
                ..JudgedCell::default()
            }),
            ..cell(task, "native", CellResult::Met)
        }
    }

    /// Two claims of one paper are one cluster, and what is not judged is in no mean.
    #[test]
    fn marks_are_means_over_clusters_and_judges_stay_apart() {
        let unmarked = BenchCell {
            judged: None,
            ..marked("e", "3", "j", &[])
        };
        let cells = [
            marked("a", "1", "j", &[("extract", 0.5), ("interpret", 1.0)]),
            marked("a", "1", "j", &[("extract", 0.7)]),
            marked("b", "1", "j", &[("extract", 0.2), ("design", 0.5)]),
            marked("c", "2", "j", &[("extract", 0.8)]),
            marked("d", "2", "j", &[]),
            marked("a", "1", "k", &[("extract", 0.0)]),
            unmarked,
        ];
        let found = judged(&cells);
        let told: Vec<_> = found
            .iter()
            .map(|one| {
                (
                    one.judge.as_str(),
                    one.stage.as_str(),
                    one.cells,
                    one.scored,
                    one.clusters,
                )
            })
            .collect();
        assert_eq!(
            told,
            [
                ("j", "extract", 5, 4, 2),
                ("j", "design", 5, 1, 1),
                ("j", "interpret", 5, 1, 1),
                ("k", "extract", 1, 1, 1),
            ]
        );
        // (0.6 + 0.2) / 2 of the first paper, 0.8 of the second.
        assert!((found[0].mean - 0.6).abs() < 1e-12, "{found:?}");
        let interval = found[0].interval.unwrap();
        assert_eq!((interval.lower, interval.upper), (0.0, 1.0));
        assert_eq!((found[1].floor, found[1].interval), (Some(0.25), None));
    }

    #[test]
    fn two_judges_are_pooled_where_no_arm_tells_them_apart() {
        let of = |kind, judge, is_arm| CellsJudge { kind, judge, is_arm };
        use TaskKind::{Capsule, Study};
        for (judges, expected) in [
            (vec![of(Study, "a", false), of(Study, "a", false)], None),
            (vec![of(Study, "a", true), of(Study, "b", true)], None),
            (vec![of(Study, "a", false), of(Capsule, "b", false)], None),
            (
                vec![of(Study, "b", true), of(Study, "a", true), of(Study, "b", false)],
                Some((Study, vec!["a", "b"])),
            ),
            (
                vec![of(Study, "b", false), of(Study, "a", false)],
                Some((Study, vec!["a", "b"])),
            ),
        ] {
            assert_eq!(pooled(judges), expected);
        }
    }
}
