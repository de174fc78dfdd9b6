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
use crate::cli::signals::until_stopped;
use crate::sandbox::descriptors;

use super::args::BatchArgs;
use super::planned;
use super::row::{self, StudyRow};

/// Open files of a process with its runtime, and of each run that is under way, at most.
const OF_THE_PROCESS: u64 = 32;
const OF_A_RUN: u64 = 20;

/// The number of runs that go at once, of those that were asked for: as many as there are
/// files to be opened, and one at least.
fn at_once(asked: u32, files: u64) -> u32 {
    let room = files.saturating_sub(OF_THE_PROCESS) / OF_A_RUN;
    asked.min(u32::try_from(room).unwrap_or(u32::MAX)).max(1)
}

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
    let (cancel, watcher) = until_stopped();
    let at_once = at_once(args.parallel, descriptors::limit());
    if at_once < args.parallel.min(planned.len() as u32) {
        printer.note(format!(
            "{at_once} runs go at once, not {}: each needs up to {OF_A_RUN} open files, and this process may have {} \
             (RLIMIT_NOFILE): raise it with `ulimit -Hn` and `ulimit -n`.",
            args.parallel,
            descriptors::limit()
        ));
    }
    let turns = Arc::new(Semaphore::new(at_once as usize));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_runs_go_at_once_than_files_can_be_opened_for() {
        assert_eq!(at_once(256, 1 << 20), 256);
        assert_eq!(at_once(256, 1024), 49);
        assert_eq!(at_once(2, 1024), 2);
        assert_eq!(at_once(8, 10), 1);
    }
}
