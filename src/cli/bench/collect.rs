//! `reprise bench collect`.

use clap::Args;
use jiff::Timestamp;

use super::opened::{BenchFileArgs, OpenedBench};
use super::standing::BenchSight;
use super::submission::Submissions;
use super::told::{RestOfCells, tell};
use crate::cli::bench_plan::{BenchPlan, CellPlan};
use crate::cli::exit::{Failure, Status};
use crate::cli::output::Printer;
use crate::grading::discovery::outcome_labels::StudyLabels;

#[derive(Debug, Args)]
#[command(after_help = "\
Reads the journals of all cells that were planned last, those under way as far as they are, and writes cells.jsonl and \
the page. It needs no lock, asks no cluster, and may be called at any time. A cell whose folder was removed is named as \
gone, and counts nowhere.

Examples:
  reprise bench collect bench.toml
  reprise bench collect bench.toml --json")]
pub struct CollectArgs {
    #[command(flatten)]
    pub bench: BenchFileArgs,
    /// Print the results as JSON.
    #[arg(long)]
    pub json: bool,
}

/// Reads what the cells came to into the results and the page.
///
/// # Errors
/// A bench of which nothing was planned, or results that cannot be read or written.
pub fn collect(printer: Printer, args: &CollectArgs) -> Result<Status, Failure> {
    let bench = OpenedBench::open(&args.bench.bench, args.bench.out.as_deref())?;
    let plan = plan_of(&bench)?;
    let sight = BenchSight {
        out: &bench.out,
        submissions: Submissions::default(),
        queue: None,
        now: Timestamp::now(),
    };
    let cells = sight.look_at_all(&plan.cells)?;
    let mut labels = StudyLabels::default();
    let known = bench.folder().known()?;
    // What is left of a cell whose run was removed, such as its claims, says less than its result did.
    let is_gone = |cell: &CellPlan| {
        let before = known.get(&cell.cell);
        before.is_some_and(|before| bench.folder().is_gone(before, &cell.folder))
    };
    let results = cells.into_iter().filter_map(|cell| {
        let row = cell.row.filter(|_| !is_gone(&cell.plan))?;
        Some(cell.plan.with(&row, &mut labels))
    });
    let results = bench.folder().write(&plan, results.collect())?;
    tell(printer, args.json, &plan, &results, RestOfCells::ByStatus)?;
    if !args.json {
        printer.line(format!("page: {}", bench.folder().page().display()));
    }
    Ok(Status::Done)
}

/// The cells as they were last planned.
///
/// # Errors
/// Where nothing was planned.
pub fn plan_of(bench: &OpenedBench) -> Result<BenchPlan, Failure> {
    let plan = bench.folder().plan()?.filter(|plan| !plan.cells.is_empty());
    plan.ok_or_else(|| {
        Failure::usage(format!(
            "{}: no cell was planned there: `reprise bench plan FILE`, `reprise bench FILE` or `reprise bench submit FILE` does that",
            bench.out.display()
        ))
    })
}
