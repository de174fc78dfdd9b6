//! A run of several, on its way.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::app::driver::{self, Attendance};
use crate::app::process_shared::ProcessShared;
use crate::app::program::Program;
use crate::cli::exit::{Failure, Status};
use crate::cli::outcome;
use crate::cli::output::Printer;
use crate::cli::progress::Progress;
use crate::cli::run_folder;
use crate::effects::ports::Nobody;
use crate::engine::folder::RunFolder;
use crate::engine::run_reader::RunReader;
use crate::engine::watch::Watch;
use crate::run::event::Record;
use crate::run::state::State;

use super::board::BoardPlace;
use super::planned_run::PlannedRun;
use super::run_row::{RunResult, RunRow};

impl PlannedRun {
    /// Carries the run as far as it goes, and says what it came to.
    pub async fn carry(
        self,
        program: &Program,
        printer: Printer,
        shared: &ProcessShared,
        cancel: CancellationToken,
        quiet: bool,
        board: BoardPlace,
    ) -> RunRow {
        let (study, place) = (self.name.clone(), self.folder.clone());
        let passed_over = self.before.as_ref().is_some_and(|before| before.finished);
        let ended = if passed_over {
            Ok(())
        } else if cancel.is_cancelled() {
            return RunRow::unfinished(study, place, Status::Interrupted, None);
        } else {
            let watch = Told {
                inner: Progress::named(printer, quiet || board.board.is_table(), &self.name),
                name: self.name.clone(),
                board,
            };
            self.go(program, shared, cancel.clone(), watch).await
        };
        match (ended, summary(&place)) {
            (Ok(()), Ok((archive, status))) => {
                let status = match status {
                    // A run that could go on was stopped by whoever stopped them all.
                    Standing::Open if cancel.is_cancelled() => Status::Interrupted,
                    Standing::Open => Status::AwaitingApproval,
                    Standing::Ended(status) => status,
                };
                RunRow::new(study, place, RunResult::of(&archive), status, passed_over)
            }
            (Err(failure), _) | (_, Err(failure)) => {
                RunRow::unfinished(study, place, failure.status, Some(failure.message))
            }
        }
    }

    /// Begins the run, or goes on with it.
    async fn go(
        self,
        program: &Program,
        shared: &ProcessShared,
        cancel: CancellationToken,
        watch: Told,
    ) -> Result<(), Failure> {
        let folder = match &self.before {
            Some(_) => RunFolder::at(&self.folder)?,
            None => run_folder::create(&self.folder)?,
        };
        match &self.before {
            Some(_) => self.request.update(&folder.request(), folder.path())?,
            None => self.request.save(&folder.request())?,
        }
        let watch: Arc<dyn Watch> = Arc::new(watch);
        let own = self.before.map(|before| shared.going_on(before.set_aside));
        let attendance = Attendance {
            shared: own.as_ref().unwrap_or(shared),
            person: Arc::new(Nobody),
            cancel,
            signing: None,
        };
        driver::carry(program, folder, self.request, &watch, attendance).await?;
        Ok(())
    }
}

/// Tells the board of all runs what one of them waits for.
struct Told {
    inner: Progress,
    name: String,
    board: BoardPlace,
}

impl Watch for Told {
    fn recorded(&self, record: &Record, state: &State) {
        self.inner.recorded(record, state);
    }

    fn line(&self, text: &str) {
        self.inner.line(text);
    }

    fn wants_streams(&self) -> bool {
        self.inner.wants_streams()
    }

    fn waiting(&self, left: Duration, why: &str) {
        self.board.board.waits(self.board.place, &self.name, left, why);
        self.inner.waiting(left, why);
    }
}

/// The standing of a run by its journal.
enum Standing {
    Ended(Status),
    Open,
}

fn summary(folder: &Path) -> Result<(RunReader, Standing), Failure> {
    let archive = RunReader::open(folder)?;
    let state = &archive.state;
    let standing = if state.is_finished() || state.halted.is_some() {
        Standing::Ended(outcome::ended(state))
    } else {
        Standing::Open
    };
    Ok((archive, standing))
}
