//! `reprise bench`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::json;

use super::args::BenchArgs;
use super::cell_plan::{PlannedCell, Planner};
use super::cell_spec::{CellSpec, combine};
use super::file::BenchFile;
use super::options::{parse, typed};
use super::results::{BenchFolder, BenchPlan, CellPlan};
use super::tasks::tasks;
use crate::analysis::bench::cell::{BenchCell, TaskKind};
use crate::analysis::bench::figures::{CellFigures, by_agent, by_arm, paired};
use crate::app::process_shared::ProcessShared;
use crate::app::program::Program;
use crate::cli::budget::BudgetArgs;
use crate::cli::exit::{Failure, Status};
use crate::cli::output::{Printer, paint, printable, styled};
use crate::cli::runs_at_once::carry_all::{ManyRuns, carry_all};
use crate::cli::runs_at_once::run_row::gravest;
use crate::cli::text_table::TextTable;
use crate::policy::limits::Caps;
use crate::policy::scope::Scope;

/// Runs the cells of a bench file as far as they go.
///
/// # Errors
/// A file, a task or a setting that cannot be used, or results that cannot be written.
pub async fn bench(program: &Program, printer: Printer, args: BenchArgs) -> Result<Status, Failure> {
    let file = BenchFile::open(&args.file).map_err(|error| Failure::usage(error.to_string()))?;
    let path = std::path::absolute(&args.file).map_err(|error| Failure::usage(error.to_string()))?;
    let root = path.parent().unwrap_or(Path::new("/"));
    let out = args.out.clone().unwrap_or_else(|| default_out(&path));
    let folder = BenchFolder(&out);
    folder.claim(&file.name)?;
    let shared = Arc::new(ProcessShared::with_caps(caps(&file, root)?));
    let planned = planned(program, &shared, &file, Places { root, out: &out }).await?;
    let plan = BenchPlan {
        name: file.name.clone(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        cells: planned.iter().map(CellPlan::new).collect(),
    };
    let chosen: Vec<PlannedCell> = planned
        .into_iter()
        .filter(|cell| is_chosen(&args.only, &cell.spec))
        .collect();
    if chosen.is_empty() {
        return Err(Failure::usage(format!(
            "--only {}: no cell's name holds that; `--plan` prints the names",
            args.only.join(" --only ")
        )));
    }
    if args.plan {
        return tell_plan(printer, args.json, &chosen);
    }
    folder.write_plan(&plan)?;
    let cells: Vec<CellPlan> = chosen.iter().map(CellPlan::new).collect();
    let runs = chosen.into_iter().map(|cell| cell.run).collect();
    let choice = ManyRuns {
        parallel: args.parallel,
        quiet: args.quiet,
    };
    let rows = carry_all(program, printer, runs, shared, choice).await?;
    let results = cells.into_iter().zip(&rows).map(|(cell, row)| cell.with(row));
    let known = folder.write(&plan, results.collect())?;
    tell(printer, args.json, &plan, &known)?;
    if !args.json {
        printer.line(format!("page: {}", folder.page().display()));
    }
    Ok(gravest(&rows))
}

/// The file's name without its ending, where the program was called.
fn default_out(path: &Path) -> PathBuf {
    path.file_stem().map_or_else(|| "bench".into(), PathBuf::from)
}

/// The caps on all cells together.
fn caps(file: &BenchFile, root: &Path) -> Result<Caps, Failure> {
    let limits = file.limits.iter().map(|(name, value)| {
        let known = ["max-cost", "max-tokens", "max-turns"];
        if !known.contains(&name.as_str()) {
            return Err(Failure::usage(format!(
                "[limits] has no `{name}`: {} hold for all cells together, and [settings] for each",
                known.join(", ")
            )));
        }
        Ok(typed(name, value, root).map(|option| option.replacen('=', "=batch=", 1)))
    });
    let typed: Vec<Option<String>> = limits.collect::<Result<_, _>>()?;
    let typed: Vec<String> = typed.into_iter().flatten().collect();
    let budget: BudgetArgs = parse(&typed).map_err(|error| Failure::usage(format!("[limits]: {error}")))?;
    Ok(budget.caps().caps(Scope::Batch))
}

/// The folders of a bench file and of its results.
#[derive(Clone, Copy)]
struct Places<'a> {
    root: &'a Path,
    out: &'a Path,
}

/// Every cell of the file.
///
/// # Errors
/// All faults at once, each with the first cell that has it.
async fn planned(
    program: &Program,
    shared: &ProcessShared,
    file: &BenchFile,
    places: Places<'_>,
) -> Result<Vec<PlannedCell>, Failure> {
    let opened = tasks(file, places.root);
    let mut faults = opened.faults;
    let mut planner = Planner::new(program, shared, places.out);
    let mut cells = Vec::new();
    let mut told = BTreeSet::new();
    for spec in combine(file, &opened.tasks, places.root) {
        let name = spec.name();
        match planner.plan(spec).await {
            Ok(cell) => cells.push(cell),
            Err(fault) if told.insert(fault.message.clone()) => {
                faults.push(Failure::new(fault.status, format!("{name}: {}", fault.message)));
            }
            Err(_) => {}
        }
    }
    match faults.as_slice() {
        [] => Ok(cells),
        [first, ..] => {
            let lines: Vec<_> = faults.iter().map(|fault| fault.message.as_str()).collect();
            Err(Failure::new(first.status, lines.join("\n")))
        }
    }
}

fn is_chosen(only: &[String], spec: &CellSpec) -> bool {
    let name = spec.name();
    only.is_empty() || only.iter().any(|text| name.contains(text))
}

fn tell_plan(printer: Printer, json: bool, cells: &[PlannedCell]) -> Result<Status, Failure> {
    let standing = |cell: &PlannedCell| match &cell.run.before {
        None => "to begin",
        Some(before) if before.finished => "finished",
        Some(_) => "to go on",
    };
    if json {
        let cells = cells
            .iter()
            .map(|cell| json!({ "plan": CellPlan::new(cell), "standing": standing(cell) }));
        printer.json(&json!({ "cells": cells.collect::<Vec<_>>() }))?;
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
    Ok(Status::Done)
}

fn tell(printer: Printer, json: bool, plan: &BenchPlan, known: &[BenchCell]) -> Result<(), Failure> {
    let (agents, arms) = (by_agent(known), by_arm(known));
    if json {
        return printer.json(&json!({
            "name": plan.name,
            "planned": plan.cells.len(),
            "cells": known,
            "agents": agents,
            "arms": arms,
            "paired": paired(known),
        }));
    }
    for figures in agents.iter().chain(&arms) {
        printer.line(line(figures));
    }
    if known.len() < plan.cells.len() {
        printer.line(format!(
            "{} of {} cells are known: the same command without --only runs the others",
            known.len(),
            plan.cells.len()
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
    let what = match figures.kind {
        TaskKind::Study => "verdicts that decide",
        TaskKind::Capsule => "every answer right",
    };
    let unscored = match figures.unscored {
        0 => String::new(),
        count => format!("; {count} unscored"),
    };
    format!(
        "{}: {what} {share}{unscored}",
        styled(paint::STRONG, printable(&figures.name))
    )
}
