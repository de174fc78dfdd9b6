//! The cells of a bench as they are told: what is planned, and what came of it.

use std::collections::BTreeMap;

use jiff::civil::Date;
use serde::Serialize;
use serde_json::json;

use super::cell_plan::PlannedCell;
use super::estimate::BenchEstimate;
use crate::analysis::bench::cell::{BenchCell, CellResult};
use crate::analysis::bench::contrasts;
use crate::analysis::bench::figures::{CellFigures, by_agent, by_arm};
use crate::cli::bench_plan::{BenchPlan, CellPlan, cell_name};
use crate::cli::exit::{Failure, Status};
use crate::cli::output::{Printer, one_line, paint, printable, styled};
use crate::cli::text_table::TextTable;
use crate::domain::digest::Digest;

/// Tells the plan, what stands where, and what the rest may take.
///
/// # Errors
/// A plan that JSON cannot hold.
pub fn tell_plan(
    printer: Printer,
    json: bool,
    cells: &[PlannedCell],
    estimate: &BenchEstimate,
) -> Result<Status, Failure> {
    let standing = |cell: &PlannedCell| match &cell.run.before {
        None => "to begin",
        Some(before) if before.finished => "finished",
        Some(_) => "to go on",
    };
    if json {
        let cells = cells.iter().map(
            |cell| json!({ "plan": CellPlan::new(cell), "standing": standing(cell), "held": held(cell) }),
        );
        printer.json(&json!({ "cells": cells.collect::<Vec<_>>(), "estimate": estimate }))?;
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
    for line in table.lines() {
        printer.line(line);
    }
    printer.line(format!("{} cells", cells.len()));
    for line in held_lines(cells) {
        printer.line(line);
    }
    printer.line(estimate.line());
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

/// The unscored cells whose cause is told.
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
    let first = one_line(words.lines().next().unwrap_or_default());
    match first.chars().count() > CAUSE {
        true => first.chars().take(CAUSE).chain(" ...".chars()).collect(),
        false => first,
    }
}

/// Tells what came of cells.
///
/// # Errors
/// Results that JSON cannot hold.
pub fn tell(
    printer: Printer,
    json: bool,
    plan: &BenchPlan,
    known: &[BenchCell],
    rest: RestOfCells,
) -> Result<(), Failure> {
    let (agents, arms) = (by_agent(known), by_arm(known));
    if json {
        return printer.json(&json!({
            "format": "reprise-bench/2",
            "name": plan.name,
            "planned": plan.cells.len(),
            "cells": known,
            "agents": agents,
            "arms": arms,
            "paired": contrasts::arms(known),
            "paired_agents": contrasts::agents(known),
        }));
    }
    for figures in agents.iter().chain(&arms) {
        printer.line(line(figures));
    }
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

fn line(figures: &CellFigures) -> String {
    let share = figures.success;
    let share = match (share.share(), share.interval) {
        (Some(value), Some(interval)) => format!(
            "{value:.3} ({} of {}, 95 % interval {:.3} to {:.3})",
            share.count.hits, share.count.of, interval.lower, interval.upper
        ),
        _ => "none".to_owned(),
    };
    let what = figures.kind.goal();
    let unscored = match figures.unscored {
        0 => String::new(),
        count => format!("; {count} unscored"),
    };
    format!(
        "{}: {what} {share}{unscored}",
        styled(paint::STRONG, printable(&figures.name))
    )
}
