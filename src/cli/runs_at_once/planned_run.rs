//! A run of several: one that begins, goes on, or is over.

use std::path::PathBuf;
use std::sync::Arc;

use crate::app;
use crate::app::process_shared::ProcessShared;
use crate::app::program::Program;
use crate::cli::exit::Failure;
use crate::domain::failure::FailureCause;
use crate::effects::spent;
use crate::engine::folder::RunFolder;
use crate::engine::request::RunRequest;
use crate::engine::run_reader::RunReader;
use crate::engine::watch::{Unwatched, Watch};
use crate::policy::limits::Used;
use crate::run::decide::{self, Next};
use crate::run::state::State;

/// A run among several.
pub struct PlannedRun {
    /// What it is told by while it goes.
    pub name: String,
    pub folder: PathBuf,
    pub request: RunRequest,
    /// The state of the run before; `None` for one that begins.
    pub before: Option<Before>,
    /// What it shares with some of the runs alone; `None` of what it shares with all.
    pub shared: Option<Arc<ProcessShared>>,
}

/// A run that had begun.
pub struct Before {
    /// What was set aside for it in the pool: all that it has come to.
    pub set_aside: Used,
    pub finished: bool,
    /// Why it ended early, where it is over.
    pub failed: Option<FailureCause>,
}

impl PlannedRun {
    /// A run that begins.
    ///
    /// # Errors
    /// A model that cannot be used.
    pub fn begun(
        program: &Program,
        shared: &ProcessShared,
        name: String,
        folder: PathBuf,
        request: RunRequest,
    ) -> Result<Self, Failure> {
        let unwatched: Arc<dyn Watch> = Arc::new(Unwatched);
        app::models::models_of(&program.settings, shared, &request, &unwatched)?;
        Ok(Self {
            name,
            folder,
            request,
            before: None,
            shared: None,
        })
    }

    /// A run that had begun, by its request as it is from now on, with what it spent taken out
    /// of the pool.
    ///
    /// # Errors
    /// A model that cannot be used, or a journal that cannot be read.
    pub fn resumed(
        program: &Program,
        shared: &ProcessShared,
        name: String,
        folder: RunFolder,
        request: RunRequest,
    ) -> Result<Self, Failure> {
        let place = folder.path().to_owned();
        let state = if folder.journal().exists() {
            RunReader::read(folder)?.state
        } else {
            State::default()
        };
        let unwatched: Arc<dyn Watch> = Arc::new(Unwatched);
        let models = app::models::models_of(&program.settings, shared, &request, &unwatched)?;
        for (stage, one) in &state.stages {
            let own = models.model.name();
            spent::reopen(&models.account, &models.accounts, own, *stage, one);
        }
        let finished = decide::next(&state, true) == Next::Done;
        let failed = decide::failed_stage(&state).map(|failed| failed.cause);
        Ok(Self {
            name,
            folder: place,
            request,
            before: Some(Before {
                set_aside: models.account.used(),
                finished,
                failed: failed.filter(|_| finished),
            }),
            shared: None,
        })
    }
}
