//! The runs of a batch: which begin, which go on, and which are over.

use std::collections::BTreeSet;
use std::path::Path;

use crate::app::process_shared::ProcessShared;
use crate::app::program::Program;
use crate::cli::exit::Failure;
use crate::cli::run_options::ChoiceArgs;
use crate::cli::runs_at_once::planned_run::{PlannedRun, folder_before};
use crate::cli::{budget, run_folder, task};
use crate::engine::request::RunRequest;
use crate::policy::limits::{Budget, Caps};
use crate::policy::scope::Scope;

use super::args::BatchArgs;

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
        let task = args.choice.open(path)?;
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
        let run = PlannedRun::begun(program, shared, task.id.clone(), folder, request)?;
        task::ensure_runnable(program, &task, &run.request).await?;
        planned.push(run);
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
    let at = folder_before(folder)?;
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
    PlannedRun::resumed(program, shared, study.to_owned(), at, request)
}

/// The caps that were typed, but for those of the batch.
fn caps_of_run(choice: &ChoiceArgs) -> Budget {
    let mut caps = choice.budget.caps();
    *caps.at(Scope::Batch) = Caps::default();
    caps
}
