//! `reprise bench report`.

use std::path::PathBuf;

use clap::Args;

use super::told::{RestOfCells, tell};
use crate::cli::bench_folder::BenchFolder;
use crate::cli::exit::{Failure, Status};
use crate::cli::output::Printer;

#[derive(Debug, Args)]
#[command(after_help = "\
Writes the page anew from cells.jsonl, audit.json and reviews.jsonl, without opening any run; `reprise bench collect` reads \
the runs first.

Examples:
  reprise bench report bench/
  reprise bench report bench/ --json")]
pub struct BenchReportArgs {
    /// The bench's folder.
    pub dir: PathBuf,
    /// Print the figures as JSON.
    #[arg(long)]
    pub json: bool,
}

/// Writes the page of a bench from what is known of its cells.
///
/// # Errors
/// A folder that is no bench's, or a file that cannot be read or written.
pub fn report(printer: Printer, args: &BenchReportArgs) -> Result<Status, Failure> {
    let bench = BenchFolder(&args.dir);
    let plan = bench.own_plan()?;
    let results = bench.results(&plan)?;
    bench.write_page(&plan, &results)?;
    tell(printer, args.json, &plan, &results, RestOfCells::ByStatus)?;
    if !args.json {
        printer.line(format!("page: {}", bench.page().display()));
    }
    Ok(Status::Done)
}
