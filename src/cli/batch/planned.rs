//! The runs of a batch: which begin, which go on, and which are over.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::app;
use crate::app::process_shared::ProcessShared;
use crate::app::program::Program;
use crate::cli::exit::Failure;
use crate::cli::run_options::ChoiceArgs;
use crate::cli::{budget, run_folder, task};
use crate::domain::stage::Stage;
use crate::effects::spent;
use crate::engine::error::EngineError;
use crate::engine::folder::RunFolder;
use crate::engine::request::RunRequest;
use crate::engine::run_reader::RunReader;
use crate::engine::watch::{Unwatched, Watch};
use crate::model::layers::spend_account::SpendAccount;
use crate::policy::limits::{Budget, Caps};
use crate::policy::scope::Scope;
use crate::run::decide::{self, Next};
use crate::run::state::State;

use super::args::BatchArgs;

/// One study of the batch and its run.
pub struct PlannedRun {
    pub study: String,
    pub folder: PathBuf,
    pub request: RunRequest,
    /// The state of the run before; `None` for one that begins.
    pub before: Option<Before>,
}

/// A run that had begun.
pub struct Before {
    pub account: Arc<SpendAccount>,
    pub stages: Vec<Stage>,
    pub finished: bool,
}

/// The runs of the batch; everything that can be refused is refused here, before
/// anything is paid for.
///
/// # Errors
/// A study, a model or an earlier run that cannot be used.
pub async fn plan(
    program: &Program,
    args: &BatchArgs,
    shared: &ProcessShared,
) -> Result<Vec<PlannedRun>, Failure> {
    let mut taken = BTreeSet::new();
    let mut planned = Vec::new();
    for path in &args.studies {
        let task = task::open(path)?;
        let name = format!("{}-{}", run_folder::plain(&task.id), args.choice.setting());
        if !taken.insert(name.clone()) {
            return Err(Failure::usage(format!(
                "{} would share the folder {name} with another study of this batch: give each study once",
                path.display()
            )));
        }
        let folder = args.out.join(&name);
        if folder.join("run.json").exists() {
            planned.push(again(program, &args.choice, &task.id, &folder, shared)?);
            continue;
        }
        let request = args.choice.request(program, &task, &name, &folder).await?;
        let unwatched: Arc<dyn Watch> = Arc::new(Unwatched);
        app::models::models_of(&program.settings, shared, &request, &unwatched)?;
        task::ensure_runnable(program, &task, &request).await?;
        planned.push(PlannedRun {
            study: task.id.clone(),
            folder,
            request,
            before: None,
        });
    }
    Ok(planned)
}

/// A run that had begun, with what it spent taken out of the pool.
fn again(
    program: &Program,
    choice: &ChoiceArgs,
    study: &str,
    folder: &Path,
    shared: &ProcessShared,
) -> Result<PlannedRun, Failure> {
    let at = RunFolder::at(folder).map_err(|error| EngineError::io(folder, error))?;
    let mut request = RunRequest::load(&at.request())?;
    let other = choice.model.as_ref().filter(|model| **model != request.model);
    if let Some(model) = other {
        return Err(Failure::usage(format!(
            "{} was begun with {}, and cannot go on with {model}: choose another --out",
            folder.display(),
            request.model
        )));
    }
    request.budget = request.budget.overlaid(&caps_of_run(choice));
    budget::check_again(program, &choice.budget, &request)?;
    request.allow_unpriced |= choice.budget.allow_unpriced;
    request.probe = choice.probe.over(request.probe);
    let state = if at.journal().exists() {
        RunReader::open(at)?.state
    } else {
        State::default()
    };
    let unwatched: Arc<dyn Watch> = Arc::new(Unwatched);
    let models = app::models::models_of(&program.settings, shared, &request, &unwatched)?;
    for (stage, one) in &state.stages {
        let own = models.model.name();
        spent::reopen(&models.account, &models.accounts, own, *stage, one);
    }
    Ok(PlannedRun {
        study: study.to_owned(),
        folder: folder.to_owned(),
        request,
        before: Some(Before {
            account: models.account,
            stages: state.stages.keys().copied().collect(),
            finished: decide::next(&state, true) == Next::Done,
        }),
    })
}

/// The caps that were typed, but for those of the batch.
fn caps_of_run(choice: &ChoiceArgs) -> Budget {
    let mut caps = choice.budget.caps();
    *caps.at(Scope::Batch) = Caps::default();
    caps
}
