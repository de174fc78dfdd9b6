//! The cells of a bench file that are to be run: planned, chosen, and under which caps.

use std::collections::BTreeSet;
use std::path::Path;

use clap::Args;

use super::bench_limits::BenchLimits;
use super::cell_plan::{PlannedCell, Planner, Retry};
use super::cell_spec::{combine, count};
use super::file::BenchFile;
use super::judge_faults::judge_faults;
use super::tasks::tasks;
use crate::analysis::bench::audit::AuditedTask;
use crate::app::process_shared::ProcessShared;
use crate::app::program::Program;
use crate::cli::exit::Failure;
use crate::cli::output::{Printer, printable};

/// The most cells of a bench.
const MOST_CELLS: usize = 100_000;

/// The choice of cells.
#[derive(Debug, Clone, Default, Args)]
pub struct CellChoiceArgs {
    /// Only cells whose name holds this; may be given again
    #[arg(long, value_name = "TEXT")]
    pub only: Vec<String>,
    /// No cells whose name holds this; may be given again
    #[arg(long, value_name = "TEXT")]
    pub skip: Vec<String>,
    /// Run cells of quarantined tasks all the same.
    #[arg(long)]
    pub quarantined: bool,
}

/// The folders of a bench file and of its results.
#[derive(Clone, Copy)]
pub struct BenchPlaces<'a> {
    pub root: &'a Path,
    pub out: &'a Path,
}

/// Every cell of the file.
///
/// # Errors
/// All faults at once, each with the first cell that has it.
pub async fn planned(
    program: &Program,
    shared: &ProcessShared,
    file: &BenchFile,
    places: BenchPlaces<'_>,
    retry: Retry,
) -> Result<Vec<PlannedCell>, Failure> {
    let opened = tasks(file, places.root);
    let (limits, fault) = match BenchLimits::read(file) {
        Ok(limits) => (limits, None),
        Err(fault) => (BenchLimits::default(), Some(fault)),
    };
    let mut faults: Vec<Failure> = fault.into_iter().collect();
    faults.extend(opened.faults);
    let cells = count(file, &opened.tasks);
    if cells > MOST_CELLS {
        return Err(Failure::usage(format!(
            "its tasks, agents, settings and repeats make {cells} cells, and a bench takes {MOST_CELLS}: give fewer \
             repeats, or several files"
        )));
    }
    let mut planner = Planner::new(program, shared, places.out, retry).with_caps_on_agents(&limits.agents);
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
    faults.extend(judge_faults(program, &cells, &limits));
    match faults.as_slice() {
        [] => Ok(cells),
        [first, ..] => {
            let lines: Vec<_> = faults.iter().map(|fault| fault.message.as_str()).collect();
            Err(Failure::new(first.status, lines.join("\n")))
        }
    }
}

/// The cells that were asked for.
///
/// # Errors
/// Where none is left.
pub fn chosen(args: &CellChoiceArgs, planned: Vec<PlannedCell>) -> Result<Vec<PlannedCell>, Failure> {
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

/// A cell of a quarantined task, and why that is quarantined.
pub struct QuarantinedCell {
    pub cell: PlannedCell,
    pub reason: String,
}

/// The cells of tasks that the audit did not quarantine, and the others.
pub fn parted(chosen: Vec<PlannedCell>, audited: &[AuditedTask]) -> (Vec<PlannedCell>, Vec<QuarantinedCell>) {
    let reason = |cell: &PlannedCell| {
        let spec = &cell.spec;
        let content = spec.content.to_string();
        let own = audited
            .iter()
            .find(|task| task.content == content && task.is_of(spec.kind, &spec.task, &spec.arm));
        own.and_then(|task| task.reasons.first())
    };
    let (mut kept, mut quarantined) = (Vec::new(), Vec::new());
    for cell in chosen {
        match reason(&cell) {
            None => kept.push(cell),
            Some(why) => quarantined.push(QuarantinedCell {
                reason: why.clone(),
                cell,
            }),
        }
    }
    (kept, quarantined)
}

/// The cells of tasks that the audit did not quarantine.
///
/// # Errors
/// Where none is left.
pub fn without_quarantined(
    printer: Printer,
    chosen: Vec<PlannedCell>,
    audited: &[AuditedTask],
    is_told: bool,
) -> Result<Vec<PlannedCell>, Failure> {
    let (kept, quarantined) = parted(chosen, audited);
    let mut told = BTreeSet::new();
    for QuarantinedCell { cell, reason } in &quarantined {
        let line = format!("{} is quarantined, and left out: {reason}", cell.spec.task);
        if is_told && told.insert(line.clone()) {
            printer.note(printable(&line));
        }
    }
    match kept.is_empty() && !quarantined.is_empty() {
        true => Err(Failure::usage(
            "every cell is of a quarantined task: mend the tasks and audit them again, or give --quarantined",
        )),
        false => Ok(kept),
    }
}
