//! The cells of a bench as they are told: what is planned, and what came of it.

use std::collections::BTreeMap;

use jiff::civil::Date;
use serde::Serialize;
use serde_json::json;

use super::bench_limits::BenchLimits;
use super::cell_plan::PlannedCell;
use super::estimate::BenchEstimate;
use super::planned_cells::QuarantinedCell;
use crate::analysis::bench::bench_figures::BenchFigures;
use crate::analysis::bench::cell::{BenchCell, CellResult};
use crate::analysis::bench::figures::CellFigures;
use crate::analysis::bench::judged::JudgedFigures;
use crate::cli::bench_plan::{BenchPlan, CellPlan, cell_name};
use crate::cli::bench_results::BenchResults;
use crate::cli::exit::{Failure, Status};
use crate::cli::output::{Printer, one_line, paint, printable, styled};
use crate::cli::text_table::TextTable;
use crate::domain::digest::Digest;
use crate::domain::excerpt;
use crate::domain::format;

/// Tells the plan, what stands where, what is left out and why, and what the rest may take.
///
/// # Errors
/// A plan that JSON cannot hold.
pub fn tell_plan(
    printer: Printer,
    json: bool,
    cells: &[PlannedCell],
    left_out: &[QuarantinedCell],
    estimate: &BenchEstimate,
    limits: &BenchLimits,
) -> Result<Status, Failure> {
    let standing = |cell: &PlannedCell| match &cell.run.before {
        None => "to begin",
        Some(before) if before.finished && cell.judging.as_ref().is_some_and(|judging| !judging.is_done) => {
            "to be judged"
        }
        Some(before) if before.finished => "finished",
        Some(_) => "to go on",
    };
    if json {
        let cells = cells.iter().map(
            |cell| json!({ "plan": CellPlan::new(cell), "standing": standing(cell), "held": held(cell) }),
        );
        let left_out = left_out.iter().map(
            |one| json!({ "plan": CellPlan::new(&one.cell), "standing": "quarantined", "detail": one.reason }),
        );
        let cells: Vec<_> = cells.chain(left_out).collect();
        printer.json(&json!({ "cells": cells, "estimate": estimate, "limits": limits }))?;
        return Ok(Status::Done);
    }
    let mut table = TextTable::new(["cell", "id", "standing"]).with_text_columns(3);
    for cell in cells {
        table.row([
            printable(&cell.spec.name()),
            cell.id.clone(),
            standing(cell).to_owned(),
        ]);
    }
    for one in left_out {
        table.row([
            printable(&one.cell.spec.name()),
            one.cell.id.clone(),
            format!("quarantined: {}", cause_line(&one.reason)),
        ]);
    }
    for line in table.lines() {
        printer.line(line);
    }
    let all = cells.len() + left_out.len();
    printer.line(match left_out.len() {
        0 => format!("{all} cells"),
        quarantined => format!(
            "{all} cells, {quarantined} of them of quarantined tasks and left out: --quarantined runs them all the same"
        ),
    });
    for line in held_lines(cells)
        .into_iter()
        .chain(judge_lines(cells))
        .chain(limits.lines(None))
    {
        printer.line(line);
    }
    for line in estimate.lines() {
        printer.line(line);
    }
    Ok(Status::Done)
}

/// The lock or the day that the environments of a cell are held to; nothing of another cell.
fn held(cell: &PlannedCell) -> Option<HeldTo> {
    let request = &cell.run.request;
    match (&request.lock, &request.dated) {
        (Some(lock), _) => Some(HeldTo {
            day: lock.as_of.day,
            lock: Some(lock.digest()),
        }),
        (None, Some(dated)) => Some(HeldTo {
            day: dated.as_of.day,
            lock: None,
        }),
        (None, None) => None,
    }
}

/// The lock or the day that environments of cells are held to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
struct HeldTo {
    day: Date,
    /// Absent where the lock is made from the indexes.
    lock: Option<Digest>,
}

/// A line for each lock and each day that cells are held to.
fn held_lines(cells: &[PlannedCell]) -> Vec<String> {
    let mut counts = BTreeMap::<HeldTo, usize>::new();
    for held in cells.iter().filter_map(held) {
        *counts.entry(held).or_default() += 1;
    }
    let lines = counts.into_iter().map(|(held, count)| match held.lock {
        Some(lock) => format!(
            "environments of {count} cells are held to the lock {}, as of {}",
            lock.short(),
            held.day
        ),
        None => format!(
            "environments of {count} cells are those of {}, by locks that `reprise bench prepare` makes, else their runs",
            held.day
        ),
    });
    lines.collect()
}

/// A line for each judge that has yet to mark cells.
fn judge_lines(cells: &[PlannedCell]) -> Vec<String> {
    let mut counts = BTreeMap::<&str, usize>::new();
    for judging in cells.iter().filter_map(|cell| cell.judging.as_ref()) {
        *counts.entry(&judging.of.judge.name).or_default() += usize::from(!judging.is_done);
    }
    let lines = counts.into_iter().filter(|(_, count)| *count > 0).map(|(judge, count)| {
        format!(
            "{} marks {count} cells once their runs are over: what it takes is in the estimate where earlier cells were judged, \
             and in no bound",
            printable(judge)
        )
    });
    lines.collect()
}

/// The unscored or gone cells that are told.
const CAUSES: usize = 5;
/// The longest cause that is told, in characters.
const CAUSE: usize = 300;

/// The way to the cells that nothing is known of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RestOfCells {
    /// They were not chosen.
    NotChosen,
    /// They are left out for another reason, or are at work.
    ByStatus,
}

impl RestOfCells {
    fn words(self) -> &'static str {
        match self {
            Self::NotChosen => "the same command without --only and --skip runs the others",
            Self::ByStatus => "`reprise bench status FILE` says where the others stand",
        }
    }
}

/// The beginning of a cause, in one line.
pub fn cause_line(words: &str) -> String {
    excerpt::shortened(&one_line(excerpt::first_line(words)), CAUSE)
}

/// Tells what came of cells.
///
/// # Errors
/// Results that JSON cannot hold.
pub fn tell(
    printer: Printer,
    json: bool,
    plan: &BenchPlan,
    results: &BenchResults,
    rest: RestOfCells,
) -> Result<(), Failure> {
    let known = &results.known;
    let figures = BenchFigures::new(known, &results.quarantined);
    if json {
        return printer.json(&json!({
            "format": "reprise-bench/3",
            "name": plan.name,
            "planned": plan.cells.len(),
            "cells": known,
            "agents": figures.agents,
            "arms": figures.arms,
            "agents_without_quarantined": figures.agents_without,
            "arms_without_quarantined": figures.arms_without,
            "quarantined": results.quarantined,
            "gone": results.gone,
            "paired": figures.paired_arms,
            "paired_agents": figures.paired_agents,
            "judged": figures.judged,
        }));
    }
    for (all, others) in [
        (&figures.agents, &figures.agents_without),
        (&figures.arms, &figures.arms_without),
    ] {
        for one in all {
            printer.line(line(one, ""));
            if let Some(other) = one.of_fewer(others) {
                printer.line(line(other, ", without quarantined tasks"));
            }
        }
    }
    for one in &figures.judged {
        printer.line(judged_line(one));
    }
    tell_unjudged(printer, known);
    tell_gone(printer, &results.gone);
    let unscored: Vec<&BenchCell> = known
        .iter()
        .filter(|cell| cell.result == CellResult::Unscored)
        .collect();
    for cell in unscored.iter().take(CAUSES) {
        let name = one_line(&cell_name(&cell.task, &cell.agent, &cell.arm, cell.repeat));
        printer.line(format!("unscored: {name}: {}", cause_line(&cell.words)));
    }
    if unscored.len() > CAUSES {
        printer.line(format!(
            "and {} more unscored: --json has all, `words` of each",
            unscored.len() - CAUSES
        ));
    }
    if known.len() < plan.cells.len() {
        printer.line(format!(
            "{} of {} cells are known: {}",
            known.len(),
            plan.cells.len(),
            rest.words()
        ));
    }
    Ok(())
}

/// Names cells whose judge has not given all marks.
fn tell_unjudged(printer: Printer, known: &[BenchCell]) {
    let lacking: Vec<(&BenchCell, &str)> = (known.iter())
        .filter_map(|cell| Some((cell, cell.lacks_marks()?)))
        .collect();
    for (cell, why) in lacking.iter().take(CAUSES) {
        let name = one_line(&cell_name(&cell.task, &cell.agent, &cell.arm, cell.repeat));
        printer.line(format!("not judged whole: {name}: {}", cause_line(why)));
    }
    if lacking.len() > CAUSES {
        printer.line(format!(
            "and {} more not judged whole: --json has all",
            lacking.len() - CAUSES
        ));
    }
}

fn judged_line(one: &JudgedFigures) -> String {
    let interval = one.interval.map_or_else(String::new, |interval| {
        format!(", 95 % interval {:.3} to {:.3}", interval.lower, interval.upper)
    });
    let beside = [("says nothing", one.floor), ("people reach", one.ceiling)];
    let beside = beside
        .iter()
        .filter_map(|(words, value)| Some(format!("; {words} {:.3}", value.as_ref()?)));
    format!(
        "{}, marked by {}: {} {:.3}{interval} over {} ({} of {} cells){}",
        styled(paint::STRONG, printable(&one.agent)),
        printable(&one.judge),
        one.stage,
        one.mean,
        format::counted(one.clusters, "cluster", "clusters"),
        one.scored,
        one.cells,
        beside.collect::<String>()
    )
}

/// Names cells whose runs are no longer there.
fn tell_gone(printer: Printer, gone: &[BenchCell]) {
    for cell in gone.iter().take(CAUSES) {
        let name = one_line(&cell_name(&cell.task, &cell.agent, &cell.arm, cell.repeat));
        let folder = one_line(&cell.folder.display().to_string());
        printer.line(format!(
            "gone: {name}: it was {}, and {folder} holds no run",
            cell.result.word()
        ));
    }
    if gone.len() > CAUSES {
        printer.line(format!("and {} more gone: --json has all", gone.len() - CAUSES));
    }
    if !gone.is_empty() {
        printer
            .line("What is gone counts nowhere: put the folder back and collect again, or run the cell anew");
    }
}

fn line(figures: &CellFigures, added: &str) -> String {
    let share = figures.success;
    let share = match (share.share(), share.interval) {
        (Some(value), Some(interval)) => format!(
            "{value:.3} ({} of {}, 95 % interval {:.3} to {:.3} over {})",
            share.count.hits,
            share.count.of,
            interval.lower,
            interval.upper,
            format::counted(figures.clusters, "cluster", "clusters")
        ),
        _ => "none".to_owned(),
    };
    let what = figures.kind.goal();
    let unscored = match figures.unscored {
        0 => String::new(),
        count => format!("; {count} unscored"),
    };
    format!(
        "{}{added}: {what} {share}{unscored}",
        styled(paint::STRONG, printable(&figures.name))
    )
}
