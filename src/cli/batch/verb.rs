//! `reprise batch`: several studies, out of one budget.
//!
//! Each study has a folder of its own below the batch's. What is finished there
//! is passed over, what stopped is resumed, and what is missing is begun, so that
//! the same command goes on with a batch that was interrupted. What earlier
//! processes spent in these folders counts.

use std::sync::Arc;

use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::app::process_shared::ProcessShared;
use crate::app::program::Program;
use crate::cli::exit::{Failure, Status};
use crate::cli::output::Printer;
use crate::cli::run;

use super::args::BatchArgs;
use super::planned;
use super::row::{self, StudyRow};

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
    let (cancel, watcher) = run::until_stopped();
    let turns = Arc::new(Semaphore::new(args.parallel as usize));
    let mut going = JoinSet::new();
    for (place, one) in planned.into_iter().enumerate() {
        let (program, shared, cancel) = (program.clone(), shared.clone(), cancel.clone());
        let (turns, quiet) = (turns.clone(), args.quiet);
        going.spawn(async move {
            let _turn = tokio::select! {
                () = cancel.cancelled() => None,
                turn = turns.acquire_owned() => turn.ok(),
            };
            (place, one.carry(&program, printer, &shared, cancel, quiet).await)
        });
    }
    let mut rows = Vec::new();
    while let Some(ended) = going.join_next().await {
        rows.push(ended.map_err(|error| {
            Failure::new(
                Status::Infrastructure,
                format!("a run of the batch broke off: {error}"),
            )
        })?);
    }
    watcher.abort();
    rows.sort_by_key(|(place, _)| *place);
    let rows: Vec<StudyRow> = rows.into_iter().map(|(_, row)| row).collect();
    row::tell(printer, args.json, &rows)?;
    Ok(row::gravest(&rows))
}
