//! `reprise batch`: several studies, out of one budget.
//!
//! Each study has a folder of its own below the batch's. What is finished there
//! is passed over, what stopped is resumed, and what is missing is begun, so that
//! the same command goes on with a batch that was interrupted. What earlier
//! processes spent in these folders counts.

use std::sync::Arc;

use crate::app::process_shared::ProcessShared;
use crate::app::program::Program;
use crate::cli::exit::{Failure, Status};
use crate::cli::output::Printer;
use crate::cli::runs_at_once::carry_all::{ManyRuns, carry_all};
use crate::cli::runs_at_once::run_row::gravest;

use super::args::BatchArgs;
use super::{planned, table};

/// Runs every study of a batch as far as it goes.
///
/// # Errors
/// A batch that cannot be planned, or a cap that no batch has.
pub async fn batch(program: &Program, printer: Printer, args: BatchArgs) -> Result<Status, Failure> {
    let caps = args.choice.together()?;
    if caps.seconds.is_some() {
        return Err(Failure::usage(
            "--max-time batch=...: time is counted for each run; cap it with `run=` or for a stage",
        ));
    }
    let shared = Arc::new(ProcessShared::with_caps(caps));
    let planned = planned::plan(program, &args, &shared).await?;
    let choice = ManyRuns {
        parallel: args.parallel,
        quiet: args.quiet,
        events: None,
    };
    let rows = carry_all(program, printer, planned, shared, choice).await?;
    table::tell(printer, args.json, &rows)?;
    Ok(gravest(&rows))
}
