//! The page of a bench: agents, arms, and every cell with its run.

use std::collections::BTreeMap;

use minijinja::context;
use serde::Serialize;

use crate::analysis::bench::audit::{AuditedTask, reference_lines};
use crate::analysis::bench::cell::{BenchCell, TaskKind};
use crate::analysis::bench::figures::{by_agent, by_arm, paired};
use crate::report::capsule::task_page::{pages, style};
use crate::report::template::{TemplateError, value};

/// A row of the map: a task under one arm.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct TaskRow<'a> {
    kind: TaskKind,
    task: &'a str,
    arm: String,
    /// One an agent, in the order of their names.
    agents: Vec<Vec<&'a BenchCell>>,
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
) -> Result<String, TemplateError> {
    let mut agents: Vec<&str> = cells.iter().map(|cell| cell.agent.as_str()).collect();
    agents.sort_unstable();
    agents.dedup();
    let mut environment = pages()?;
    environment.add_template("bench.html", include_str!("../templates/bench.html"))?;
    let page = environment.get_template("bench.html")?;
    Ok(page.render(context! {
        name => name,
        planned => planned,
        cells => cells.len(),
        figures => value(by_agent(cells)),
        references => value(reference_lines(audit)),
        audited => audit.len(),
        quarantined => value(audit.iter().filter(|task| task.is_quarantined()).collect::<Vec<_>>()),
        repeated => cells.iter().filter(|cell| cell.attempt > 1).count(),
        arms => value(by_arm(cells)),
        paired => value(paired(cells)),
        rows => value(rows(cells, &agents)),
        agents => value(agents),
        style => style(),
    })?)
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
        let page = render("<b>bench</b>", 3, &cells, &[]).unwrap();
        assert!(!page.contains("<script>") && !page.contains("<b>bench</b>"));
        assert!(page.contains("2 of 3 planned"));
        assert!(page.contains("cells/one/report.html"));
        assert!(page.contains("1 unscored"), "{page}");
    }

    #[test]
    fn every_result_has_its_place() {
        use CellResult::{Failed, Inconclusive, Met, NotSolved, Solved, Unmet, Unscored};
        let all = [Met, Unmet, Inconclusive, Solved, NotSolved, Failed, Unscored];
        let page = render("all", 7, &all.map(|result| cell("t", "a", result)), &[]).unwrap();
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
        assert!(render("none", 3, &[], &[]).unwrap().contains("0 of 3 planned"));
    }
}
