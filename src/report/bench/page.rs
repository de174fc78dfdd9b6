//! The page of a bench: agents, arms, and every cell with its run.

use std::collections::BTreeMap;

use minijinja::context;
use serde::Serialize;

use crate::analysis::bench::audit::{AuditedTask, reference_lines};
use crate::analysis::bench::cell::{BenchCell, TaskKind};
use crate::analysis::bench::figures::{CellFigures, by_agent, by_arm, commonest_verdict, paired};
use crate::analysis::bench::frontier::frontier;
use crate::report::capsule::task_page::{pages, style};
use crate::report::template::{TemplateError, value};

use super::cost_chart::CostChart;
use super::figure_tables::{FigureTable, amounts, pairs, passes, shares};

/// A row of the map: a task under one arm.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct TaskRow<'a> {
    kind: TaskKind,
    task: &'a str,
    arm: String,
    /// One an agent, in the order of their names.
    agents: Vec<Vec<&'a BenchCell>>,
}

/// The targets of cells in a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Links {
    Runs,
    /// The runs are not beside the page.
    None,
}

/// The cells of a bench, of so many that are planned, as one self-contained page.
///
/// # Errors
/// A template that does not fit.
pub fn render(
    name: &str,
    planned: usize,
    cells: &[BenchCell],
    audit: &[AuditedTask],
    links: Links,
) -> Result<String, TemplateError> {
    let mut agents: Vec<&str> = cells.iter().map(|cell| cell.agent.as_str()).collect();
    agents.sort_unstable();
    agents.dedup();
    let mut environment = pages()?;
    environment.add_template("bench.html", include_str!("../templates/bench.html"))?;
    let page = environment.get_template("bench.html")?;
    let (figures, arms, paired) = (by_agent(cells), by_arm(cells), paired(cells));
    let charts: BTreeMap<TaskKind, CostChart> = TaskKind::ALL
        .into_iter()
        .filter_map(|kind| Some((kind, CostChart::new(frontier(&figures, kind))?)))
        .collect();
    let tables_of = |rows: &[CellFigures], of: &str| {
        let tables = TaskKind::ALL.into_iter();
        tables
            .filter_map(|kind| Some((kind, shares(rows, kind, of)?)))
            .collect()
    };
    let tables = Tables {
        agents: tables_of(&figures, "agents"),
        arms: tables_of(&arms, "arms"),
        paired: pairs(&paired),
        repeats: passes(&figures),
        amounts: amounts(&figures),
    };
    Ok(page.render(context! {
        name => name,
        planned => planned,
        cells => cells.len(),
        figures => value(figures),
        charts => value(charts),
        tables => value(tables),
        commonest => value(commonest_verdict(cells)),
        references => value(reference_lines(audit)),
        audited => audit.len(),
        quarantined => value(audit.iter().filter(|task| task.is_quarantined()).collect::<Vec<_>>()),
        linked => links == Links::Runs,
        repeated => cells.iter().filter(|cell| cell.attempt > 1).count(),
        arms => value(arms),
        paired => value(paired),
        rows => value(rows(cells, &agents)),
        agents => value(agents),
        style => style(),
    })?)
}

/// The tables that can be downloaded.
#[derive(Debug, Serialize)]
struct Tables {
    agents: BTreeMap<TaskKind, FigureTable>,
    arms: BTreeMap<TaskKind, FigureTable>,
    paired: Option<FigureTable>,
    repeats: Option<FigureTable>,
    amounts: Option<FigureTable>,
}

fn rows<'a>(cells: &'a [BenchCell], agents: &[&str]) -> Vec<TaskRow<'a>> {
    let mut rows = BTreeMap::<(TaskKind, &str, String), Vec<&BenchCell>>::new();
    for cell in cells {
        let arm: Vec<_> = cell
            .arm
            .iter()
            .map(|(name, value)| format!("{name} = {value}"))
            .collect();
        rows.entry((cell.kind, &cell.task, arm.join(", ")))
            .or_default()
            .push(cell);
    }
    rows.into_iter()
        .map(|((kind, task, arm), cells)| TaskRow {
            kind,
            task,
            arm,
            agents: agents
                .iter()
                .map(|agent| {
                    cells
                        .iter()
                        .copied()
                        .filter(|cell| cell.agent == *agent)
                        .collect()
                })
                .collect(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::analysis::bench::cell::CellResult;

    fn cell(task: &str, agent: &str, result: CellResult) -> BenchCell {
        BenchCell {
            cell: "c0ffee".to_owned(),
            kind: TaskKind::Capsule,
            task: task.to_owned(),
            agent: agent.to_owned(),
            arm: [("level".to_owned(), "hard".to_owned())].into(),
            repeat: 1,
            attempt: 1,
            folder: PathBuf::from("cells/one"),
            result,
            words: "score 1.000".to_owned(),
            score: Some(1.0),
            tokens: 0,
            cost: None,
            seconds: None,
        }
    }

    #[test]
    fn names_are_text_and_what_is_not_known_is_said() {
        let cells = [
            cell("<script>", "a", CellResult::Solved),
            cell("t", "b", CellResult::Unscored),
        ];
        let page = render("<b>bench</b>", 3, &cells, &[], Links::Runs).unwrap();
        assert!(!page.contains("<script>") && !page.contains("<b>bench</b>"));
        assert!(page.contains("2 of 3 planned"));
        assert!(page.contains("cells/one/report.html"));
        assert!(page.contains("1 unscored"), "{page}");
        let alone = render("bench", 3, &cells, &[], Links::None).unwrap();
        assert!(!alone.contains("report.html") && alone.contains(">solved</span>"));
    }

    #[test]
    fn every_result_has_its_place() {
        use CellResult::{Failed, Inconclusive, Met, NotSolved, Solved, Unmet, Unscored};
        let all = [Met, Unmet, Inconclusive, Solved, NotSolved, Failed, Unscored];
        let page = render(
            "all",
            7,
            &all.map(|result| cell("t", "a", result)),
            &[],
            Links::Runs,
        )
        .unwrap();
        for word in [
            "met",
            "unmet",
            "inconclusive",
            "solved",
            "not solved",
            "failed",
            "unscored",
        ] {
            assert!(page.contains(&format!(">{word}</a>")), "{word}");
        }
    }

    #[test]
    fn a_bench_without_results_has_a_page() {
        assert!(
            render("none", 3, &[], &[], Links::Runs)
                .unwrap()
                .contains("0 of 3 planned")
        );
    }
}
