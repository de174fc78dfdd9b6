//! Several runs, a few of them at once.

use std::sync::Arc;

use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::app::process_shared::ProcessShared;
use crate::app::program::Program;
use crate::cli::exit::{Failure, Status};
use crate::cli::output::Printer;
use crate::cli::signals::until_stopped;
use crate::sandbox::descriptors;

use super::board::{BoardPlace, EventsFile, RunsBoard};
use super::planned_run::PlannedRun;
use super::run_row::RunRow;

/// Open files of a process with its runtime, and of each run that is under way, at most.
const OF_THE_PROCESS: u64 = 32;
const OF_A_RUN: u64 = 20;

/// The number of runs that go at once, of those that were asked for: as many as there are
/// files to be opened, and one at least.
fn at_once(asked: u32, files: u64) -> u32 {
    let room = files.saturating_sub(OF_THE_PROCESS) / OF_A_RUN;
    asked.min(u32::try_from(room).unwrap_or(u32::MAX)).max(1)
}

/// The manner in which several runs go.
#[derive(Debug, Clone)]
pub struct ManyRuns {
    /// Runs under way at once, at most.
    pub parallel: u32,
    pub quiet: bool,
    /// Where each change is written.
    pub events: Option<Arc<EventsFile>>,
}

/// Carries runs as far as they go, at most so many at once, until a signal stops them; the rows
/// are in their order.
///
/// # Errors
/// A run that broke off.
pub async fn carry_all(
    program: &Program,
    printer: Printer,
    planned: Vec<PlannedRun>,
    shared: Arc<ProcessShared>,
    choice: ManyRuns,
) -> Result<Vec<RunRow>, Failure> {
    let (cancel, watcher) = until_stopped();
    let rows = carry_until(program, printer, planned, shared, choice, cancel).await;
    watcher.abort();
    rows
}

/// The same, until a token is cancelled.
///
/// # Errors
/// A run that broke off.
pub async fn carry_until(
    program: &Program,
    printer: Printer,
    planned: Vec<PlannedRun>,
    shared: Arc<ProcessShared>,
    choice: ManyRuns,
    cancel: CancellationToken,
) -> Result<Vec<RunRow>, Failure> {
    let at_once = at_once(choice.parallel, descriptors::limit());
    if at_once < choice.parallel.min(planned.len() as u32) {
        printer.note(format!(
            "{at_once} runs go at once, not {}: each needs up to {OF_A_RUN} open files, and this process may have {} \
             (RLIMIT_NOFILE): raise it with `ulimit -Hn` and `ulimit -n`.",
            choice.parallel,
            descriptors::limit()
        ));
    }
    let turns = Arc::new(Semaphore::new(at_once as usize));
    let runs = planned.len();
    let board = Arc::new(RunsBoard::new(
        printer,
        runs,
        choice.quiet,
        choice.events.clone(),
        shared.pool.clone(),
    ));
    let all = async {
        let mut going = JoinSet::new();
        for (place, one) in planned.into_iter().enumerate() {
            let (program, cancel) = (program.clone(), cancel.clone());
            let shared = one.shared.clone().unwrap_or_else(|| shared.clone());
            let quiet = choice.quiet;
            let watch = BoardPlace {
                board: board.clone(),
                place,
            };
            // Before the run is spawned, so that turns are had in the order of the runs.
            let turn = tokio::select! {
                () = cancel.cancelled() => None,
                turn = turns.clone().acquire_owned() => turn.ok(),
            };
            going.spawn(async move {
                let _turn = turn;
                watch.board.begins(place, &one.name);
                let row = one
                    .carry(&program, printer, &shared, cancel, quiet, watch.clone())
                    .await;
                watch.board.ends(place, &row);
                (place, row)
            });
        }
        let mut rows = Vec::new();
        while let Some(ended) = going.join_next().await {
            let broke = |error| Failure::new(Status::Infrastructure, format!("a run broke off: {error}"));
            rows.push(ended.map_err(broke)?);
        }
        Ok::<_, Failure>(rows)
    };
    let mut rows = tokio::select! {
        rows = all => rows?,
        () = board.say() => Vec::new(),
    };
    board.end();
    rows.sort_by_key(|(place, _)| *place);
    Ok(rows.into_iter().map(|(_, row)| row).collect())
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
