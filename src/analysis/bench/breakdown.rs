//! Cells broken down: by what their tasks are of, by why they ended early, and by stage.

use std::collections::BTreeMap;

use serde::Serialize;

use super::cell::{BenchCell, CellResult, TaskKind};
use super::clusters::StudyClusters;
use super::details::Facet;
use crate::analysis::capsule::accuracy::CountedShare;
use crate::analysis::capsule::amounts::Amounts;

/// The success of an agent's cells with one value of a facet.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FacetShare {
    pub kind: TaskKind,
    pub facet: Facet,
    pub value: String,
    pub agent: String,
    pub tasks: usize,
    /// Different clusters of these tasks.
    pub clusters: usize,
    /// With an interval over clusters.
    pub success: CountedShare,
}

/// Cells of an agent that ended early, or whose verdict is left open, by cause.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CauseCount {
    pub kind: TaskKind,
    pub agent: String,
    /// The stage that ended it; absent of a verdict that is left open.
    pub stage: Option<String>,
    pub cause: String,
    /// Whether such cells count against the agent: those that the machine failed do not.
    pub counts: bool,
    /// Such cells, of all of the agent.
    pub share: CountedShare,
}

/// Time and tokens of a stage, over the cells of an agent that reached it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StageFigures {
    pub kind: TaskKind,
    pub agent: String,
    pub stage: String,
    pub cells: usize,
    /// At work.
    pub seconds: Amounts,
    pub tokens: Amounts,
    pub turns: Amounts,
    /// Its part of the time at work of all stages of these cells; absent where none passed.
    pub share_of_time: Option<f64>,
}

/// A task under all its arms, by agent.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TaskShares {
    pub kind: TaskKind,
    pub task: String,
    /// One an agent, in the order that was given; `None` where it has no cell of the task.
    pub agents: Vec<Option<TaskShare>>,
}

/// The cells of a task by one agent.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct TaskShare {
    pub successes: u64,
    pub counted: u64,
    pub unscored: u64,
}

/// Success by facet, of facets that are known of some cell.
pub fn by_facet(cells: &[BenchCell]) -> Vec<FacetShare> {
    let clusters = StudyClusters::new(cells);
    let mut groups = BTreeMap::<(TaskKind, Facet, &str, &str), Vec<&BenchCell>>::new();
    for cell in cells {
        for facet in Facet::ALL {
            if let Some(value) = cell.details.facet(facet) {
                groups
                    .entry((cell.kind, facet, value, &cell.agent))
                    .or_default()
                    .push(cell);
            }
        }
    }
    groups
        .into_iter()
        .map(|((kind, facet, value, agent), cells)| {
            let mut tasks: Vec<&str> = cells.iter().map(|cell| cell.task.as_str()).collect();
            tasks.sort_unstable();
            tasks.dedup();
            FacetShare {
                kind,
                facet,
                value: value.to_owned(),
                agent: agent.to_owned(),
                tasks: tasks.len(),
                clusters: clusters.count(cells.iter().copied()),
                success: clusters.success(&cells),
            }
        })
        .collect()
}

/// A cause with the agent and the stage that it is of.
type CauseKey<'a> = (TaskKind, &'a str, Option<&'a str>, &'static str, bool);

/// Causes of early ends and of open verdicts, the commonest of each agent first.
pub fn by_cause(cells: &[BenchCell]) -> Vec<CauseCount> {
    let mut all = BTreeMap::<(TaskKind, &str), u64>::new();
    let mut counts = BTreeMap::<CauseKey<'_>, u64>::new();
    for cell in cells {
        *all.entry((cell.kind, &cell.agent)).or_default() += 1;
        let details = &cell.details;
        let counted = cell.result != CellResult::Unscored;
        if let Some(cause) = details.cause {
            let key = (
                cell.kind,
                cell.agent.as_str(),
                details.failed_stage.as_deref(),
                cause.name(),
                counted,
            );
            *counts.entry(key).or_default() += 1;
        } else if let Some(doubt) = details.doubt.filter(|_| cell.result == CellResult::Inconclusive) {
            *counts
                .entry((cell.kind, &cell.agent, None, doubt.words(), counted))
                .or_default() += 1;
        }
    }
    let mut found: Vec<CauseCount> = counts
        .into_iter()
        .map(|((kind, agent, stage, cause, counted), hits)| {
            let of = all.get(&(kind, agent)).copied().unwrap_or(hits);
            CauseCount {
                kind,
                agent: agent.to_owned(),
                stage: stage.map(str::to_owned),
                cause: cause.to_owned(),
                counts: counted,
                share: CountedShare::count((0..of).map(|place| place < hits)),
            }
        })
        .collect();
    found.sort_by(|one, other| {
        let key = |one: &CauseCount| {
            (
                one.kind,
                one.agent.clone(),
                std::cmp::Reverse(one.share.count.hits),
            )
        };
        key(one).cmp(&key(other))
    });
    found
}

/// Time and tokens by stage, in the order in which stages begin.
pub fn by_stage(cells: &[BenchCell]) -> Vec<StageFigures> {
    let mut agents = BTreeMap::<(TaskKind, &str), Vec<&BenchCell>>::new();
    for cell in cells {
        agents.entry((cell.kind, &cell.agent)).or_default().push(cell);
    }
    let mut figures = Vec::new();
    for ((kind, agent), cells) in agents {
        let mut names: Vec<&str> = Vec::new();
        for stage in cells.iter().flat_map(|cell| &cell.details.stages) {
            if !names.contains(&stage.stage.as_str()) {
                names.push(&stage.stage);
            }
        }
        let all: f64 = cells
            .iter()
            .flat_map(|cell| &cell.details.stages)
            .map(|stage| stage.seconds)
            .sum();
        for name in names {
            let own = || {
                cells
                    .iter()
                    .flat_map(|cell| &cell.details.stages)
                    .filter(|stage| stage.stage == name)
            };
            let seconds = Amounts::new(own().map(|stage| Some(stage.seconds)));
            figures.push(StageFigures {
                kind,
                agent: agent.to_owned(),
                stage: name.to_owned(),
                cells: own().count(),
                share_of_time: seconds.sum.filter(|_| all > 0.0).map(|sum| sum / all),
                seconds,
                tokens: Amounts::new(own().map(|stage| Some(stage.tokens as f64))),
                turns: Amounts::new(own().map(|stage| Some(stage.turns as f64))),
            });
        }
    }
    figures
}

/// Each task by each of some agents, arms and repeats together.
pub fn by_task(cells: &[BenchCell], agents: &[&str]) -> Vec<TaskShares> {
    let mut tasks = BTreeMap::<(TaskKind, &str), BTreeMap<&str, TaskShare>>::new();
    for cell in cells {
        let own = tasks.entry((cell.kind, &cell.task)).or_default();
        let share = own.entry(&cell.agent).or_insert(TaskShare {
            successes: 0,
            counted: 0,
            unscored: 0,
        });
        match cell.result.is_success() {
            Some(success) => {
                share.counted += 1;
                share.successes += u64::from(success);
            }
            None => share.unscored += 1,
        }
    }
    tasks
        .into_iter()
        .map(|((kind, task), own)| TaskShares {
            kind,
            task: task.to_owned(),
            agents: agents.iter().map(|agent| own.get(agent).copied()).collect(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::analysis::bench::details::{CellDetails, StageAmounts};
    use crate::domain::doubt::DoubtCause;
    use crate::domain::failure::FailureCause;

    fn cell(task: &str, agent: &str, result: CellResult, details: CellDetails) -> BenchCell {
        BenchCell {
            cell: format!("{task}{agent}"),
            kind: TaskKind::Capsule,
            task: task.to_owned(),
            agent: agent.to_owned(),
            arm: BTreeMap::new(),
            repeat: 1,
            attempt: 1,
            folder: PathBuf::new(),
            result,
            words: String::new(),
            score: None,
            tokens: 0,
            cost: None,
            seconds: None,
            study: Vec::new(),
            gone: false,
            labelled: None,
            judged: None,
            details,
        }
    }

    fn of(language: &str) -> CellDetails {
        CellDetails {
            language: Some(language.to_owned()),
            ..CellDetails::default()
        }
    }

    #[test]
    fn what_is_not_known_of_a_task_splits_nothing() {
        let cells = [
            cell("x", "a", CellResult::Solved, of("R")),
            cell("y", "a", CellResult::NotSolved, of("R")),
            cell("z", "a", CellResult::Solved, of("Python")),
            cell("w", "a", CellResult::Solved, CellDetails::default()),
        ];
        let found = by_facet(&cells);
        let told: Vec<_> = found
            .iter()
            .map(|one| {
                (
                    one.facet,
                    one.value.as_str(),
                    one.success.count.hits,
                    one.success.count.of,
                )
            })
            .collect();
        assert_eq!(
            told,
            [(Facet::Language, "Python", 1, 1), (Facet::Language, "R", 1, 2)]
        );
    }

    #[test]
    fn causes_are_counted_by_stage_and_those_of_the_machine_stand_apart() {
        let failed = |cause| CellDetails {
            cause: Some(cause),
            failed_stage: Some("reproduce".to_owned()),
            ..CellDetails::default()
        };
        let open = CellDetails {
            doubt: Some(DoubtCause::Missing),
            ..CellDetails::default()
        };
        let cells = [
            cell("x", "a", CellResult::Failed, failed(FailureCause::Limit)),
            cell("y", "a", CellResult::Failed, failed(FailureCause::Limit)),
            cell(
                "z",
                "a",
                CellResult::Unscored,
                failed(FailureCause::Infrastructure),
            ),
            cell("w", "a", CellResult::Inconclusive, open),
        ];
        let found = by_cause(&cells);
        let told: Vec<_> = found
            .iter()
            .map(|one| {
                (
                    one.cause.as_str(),
                    one.counts,
                    one.share.count.hits,
                    one.share.count.of,
                )
            })
            .collect();
        assert_eq!(told[0], ("limit", true, 2, 4));
        assert!(told.contains(&("infrastructure", false, 1, 4)), "{told:?}");
        assert!(told.contains(&("a number is missing", true, 1, 4)), "{told:?}");
    }

    #[test]
    fn stages_share_the_time_of_their_cells() {
        let stage = |stage: &str, seconds, tokens| StageAmounts {
            stage: stage.to_owned(),
            seconds,
            tokens,
            turns: 2,
        };
        let details = |stages| CellDetails {
            stages,
            ..CellDetails::default()
        };
        let cells = [
            cell(
                "x",
                "a",
                CellResult::Solved,
                details(vec![stage("design", 1.0, 10), stage("execute", 3.0, 30)]),
            ),
            cell(
                "y",
                "a",
                CellResult::Failed,
                details(vec![stage("design", 4.0, 20)]),
            ),
        ];
        let found = by_stage(&cells);
        assert_eq!((found[0].stage.as_str(), found[0].cells), ("design", 2));
        assert_eq!(
            (found[0].share_of_time, found[1].share_of_time),
            (Some(0.625), Some(0.375))
        );
        assert_eq!(
            (found[0].tokens.mean, found[1].seconds.mean),
            (Some(15.0), Some(3.0))
        );
    }

    #[test]
    fn a_task_that_an_agent_never_had_is_no_failure() {
        let cells = [
            cell("x", "a", CellResult::Solved, CellDetails::default()),
            cell("x", "a", CellResult::Failed, CellDetails::default()),
            cell("x", "a", CellResult::Unscored, CellDetails::default()),
        ];
        let found = by_task(&cells, &["a", "b"]);
        let own = found[0].agents[0].unwrap();
        assert_eq!((own.successes, own.counted, own.unscored), (1, 2, 1));
        assert_eq!(found[0].agents[1], None);
    }
}
