//! `reprise list`.

use crate::engine::runs;
use std::path::PathBuf;

use clap::Args;

use super::exit::{Failure, Status};
use super::output::Printer;
use super::run_list;

#[derive(Debug, Args)]
#[command(after_help = "\
Runs are looked for in the folder and below it, such as those of a bench.

Examples:
  reprise list
  reprise list bench --json")]
pub struct ListArgs {
    /// The folder that holds the runs.
    #[arg(default_value = "runs", value_name = "DIR")]
    pub dir: PathBuf,
    /// Print the runs as JSON.
    #[arg(long)]
    pub json: bool,
}

/// Lists the runs below a folder, with where each stands and what it came to.
///
/// # Errors
/// A path that is no folder.
pub fn list(printer: Printer, args: &ListArgs) -> Result<Status, Failure> {
    run_list::tell(printer, runs::runs_below(&args.dir)?, args.json)
}
