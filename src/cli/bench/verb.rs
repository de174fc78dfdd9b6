//! `reprise bench`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use serde_json::json;

use super::args::{BenchArgs, BenchVerb, RetryChoice};
use super::audit::audit;
use super::cell_plan::{PlannedCell, Planner, Retry};
use super::cell_spec::combine;
use super::core::core;
use super::estimate::BenchEstimate;
use super::file::BenchFile;
use super::options::{parse, typed};
use super::replicatorbench::replicatorbench;
use super::results::{BenchFolder, BenchPlan, CellPlan, default_out};
use super::tasks::tasks;
use crate::analysis::bench::audit::AuditedTask;
use crate::analysis::bench::cell::{BenchCell, TaskKind};
use crate::analysis::bench::figures::{CellFigures, by_agent, by_arm, paired};
use crate::app::process_shared::ProcessShared;
use crate::app::program::Program;
use crate::cli::budget::BudgetArgs;
use crate::cli::exit::{Failure, Status};
use crate::cli::output::{Printer, paint, printable, styled};
use crate::cli::runs_at_once::carry_all::{ManyRuns, carry_all};
use crate::cli::runs_at_once::run_row::{RunRow, gravest};
use crate::cli::text_table::TextTable;
use crate::policy::limits::Caps;
use crate::policy::scope::Scope;

/// Runs the cells of a bench file as far as they go, or does what another verb of benches says.
///
/// # Errors
/// A file, a task or a setting that cannot be used, or results that cannot be written.
pub async fn bench(program: &Program, printer: Printer, args: BenchArgs) -> Result<Status, Failure> {
    match args.verb {
        Some(BenchVerb::Audit(args)) => audit(program, printer, args).await,
        Some(BenchVerb::Core(args)) => core(printer, &args),
        Some(BenchVerb::Replicatorbench(args)) => replicatorbench(printer, &args),
        None => run(program, printer, args).await,
    }
}

async fn run(program: &Program, printer: Printer, args: BenchArgs) -> Result<Status, Failure> {
    let named = args.file.as_deref().unwrap_or(Path::new(""));
    let file = BenchFile::open(named).map_err(|error| Failure::usage(error.to_string()))?;
    let path = std::path::absolute(named).map_err(|error| Failure::usage(error.to_string()))?;
    let root = path.parent().unwrap_or(Path::new("/"));
    let out = args.out.clone().unwrap_or_else(|| default_out(&path));
    let folder = BenchFolder(&out);
    folder.claim(&file.name)?;
    let audited = folder.audit()?;
    let places = Places { root, out: &out };
    let mut retry = Retry {
        failed: args.retry.contains(&RetryChoice::Failed),
        infrastructure: args.retry.contains(&RetryChoice::Infrastructure),
    };
    let mut again: Option<BTreeSet<String>> = None;
    let mut ended = BTreeMap::<String, EndedCell>::new();
    for round in 0..=args.infrastructure_repeats {
        // What all have spent is read from their journals anew.
        let shared = Arc::new(ProcessShared::with_caps(caps(&file, root)?));
        let planned = planned(program, &shared, &file, places, retry).await?;
        let plan = BenchPlan {
            name: file.name.clone(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            cells: planned.iter().map(CellPlan::new).collect(),
        };
        let mut chosen = chosen(&args, planned)?;
        if !args.quarantined {
            chosen = without_quarantined(printer, chosen, &audited, round == 0)?;
        }
        if let Some(again) = &again {
            chosen.retain(|cell| again.contains(&cell.id));
        }
        if args.plan {
            let estimate = BenchEstimate::new(&chosen, &folder.known()?);
            return tell_plan(printer, args.json, &chosen, &estimate);
        }
        folder.write_plan(&plan)?;
        let cells: Vec<CellPlan> = chosen.iter().map(CellPlan::new).collect();
        let runs = chosen.into_iter().map(|cell| cell.run).collect();
        let choice = ManyRuns {
            parallel: args.parallel,
            quiet: args.quiet,
        };
        let rows = carry_all(program, printer, runs, shared, choice).await?;
        let is = |row: &RunRow, status: Status| row.exit_code == status.code();
        let is_stopped = rows.iter().any(|row| is(row, Status::Interrupted));
        let failed: BTreeSet<String> = cells
            .iter()
            .zip(&rows)
            .filter(|(_, row)| is(row, Status::Infrastructure))
            .map(|(cell, _)| cell.cell.clone())
            .collect();
        for (plan, row) in cells.into_iter().zip(rows) {
            ended.insert(plan.cell.clone(), EndedCell { plan, row });
        }
        let results = ended.values().map(|cell| cell.plan.clone().with(&cell.row));
        let known = folder.write(&plan, results.collect())?;
        if failed.is_empty() || is_stopped || round == args.infrastructure_repeats {
            tell(printer, args.json, &plan, &known)?;
            break;
        }
        printer.note(format!(
            "{} of {} cells fell to the provider, the sandbox or the machine: they are gone on with, for the {} of {} times",
            failed.len(),
            ended.len(),
            round + 1,
            args.infrastructure_repeats
        ));
        retry = Retry {
            failed: false,
            infrastructure: true,
        };
        again = Some(failed);
    }
    if !args.json {
        printer.line(format!("page: {}", folder.page().display()));
    }
    let rows: Vec<RunRow> = ended.into_values().map(|cell| cell.row).collect();
    Ok(gravest(&rows))
}

/// A cell and what came of its run.
struct EndedCell {
    plan: CellPlan,
    row: RunRow,
}

/// The cells that were asked for.
fn chosen(args: &BenchArgs, planned: Vec<PlannedCell>) -> Result<Vec<PlannedCell>, Failure> {
    let holds = |texts: &[String], cell: &PlannedCell| {
        let name = cell.spec.name();
        texts.iter().any(|text| name.contains(text))
    };
    let is_chosen =
        |cell: &PlannedCell| (args.only.is_empty() || holds(&args.only, cell)) && !holds(&args.skip, cell);
    let chosen: Vec<PlannedCell> = planned.into_iter().filter(is_chosen).collect();
    if chosen.is_empty() {
        let options = [("--only", &args.only), ("--skip", &args.skip)];
        let typed = options
            .iter()
            .flat_map(|(name, texts)| texts.iter().map(move |text| format!("{name} {text}")));
        return Err(Failure::usage(format!(
            "{}: no cell is left; `--plan` without them prints the names",
            typed.collect::<Vec<_>>().join(" ")
        )));
    }
    Ok(chosen)
}

/// The cells of tasks that the audit did not quarantine.
fn without_quarantined(
    printer: Printer,
    chosen: Vec<PlannedCell>,
    audited: &[AuditedTask],
    is_told: bool,
) -> Result<Vec<PlannedCell>, Failure> {
    let reason = |cell: &PlannedCell| {
        let content = cell.spec.content.to_string();
        let own = audited
            .iter()
            .find(|task| task.task == cell.spec.task && task.content == content && task.arm == cell.spec.arm);
        own.and_then(|task| task.reasons.first())
    };
    let all = chosen.len();
    let mut told = BTreeSet::new();
    let mut kept = Vec::new();
    for cell in chosen {
        match reason(&cell) {
            None => kept.push(cell),
            Some(why) => {
                let line = format!("{} is quarantined, and left out: {why}", cell.spec.task);
                if is_told && told.insert(line.clone()) {
                    printer.note(printable(&line));
                }
            }
        }
    }
    match kept.is_empty() && all > 0 {
        true => Err(Failure::usage(
            "every cell is of a quarantined task: mend the tasks and audit them again, or give --quarantined",
        )),
        false => Ok(kept),
    }
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
    retry: Retry,
) -> Result<Vec<PlannedCell>, Failure> {
    let opened = tasks(file, places.root);
    let mut faults = opened.faults;
    let mut planner = Planner::new(program, shared, places.out, retry);
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

fn tell_plan(
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
        let cells = cells
            .iter()
            .map(|cell| json!({ "plan": CellPlan::new(cell), "standing": standing(cell) }));
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
    printer.line(estimate.line());
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
        TaskKind::Notebook => "answer and landmarks whole",
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
