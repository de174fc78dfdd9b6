//! The lock of a day for what is installed before an attempt at a capsule.

use crate::app;
use crate::app::live_indexes;
use crate::capsule::task_file::CapsuleTask;
use crate::cli::exit::Failure;
use crate::cli::lock_args::LockArgs;
use crate::domain::execution::EnvironmentSpec;
use crate::effects::capsule::environment::{language, wanted};
use crate::engine::error::EngineError;
use crate::engine::request::RunRequest;
use crate::environment::lock::EnvironmentLock;
use crate::settings::Settings;

/// The lock of the packages that the capsule's Dockerfile names, where one of a day was asked for.
///
/// # Errors
/// A capsule whose files tell no date, a sandbox that cannot be had, or an index that does not answer.
pub async fn lock(
    settings: &Settings,
    choice: &LockArgs,
    task: &CapsuleTask,
    request: &RunRequest,
) -> Result<Option<Box<EnvironmentLock>>, Failure> {
    let Some(capsule) = &request.capsule else {
        return Ok(None);
    };
    let Some(dated) = choice.dated(&capsule.source)? else {
        return Ok(None);
    };
    let sandbox = app::sandboxes::sandbox(settings, request.sandbox).await?;
    let wanted = wanted(capsule, language(&task.language), sandbox.tier());
    let asked = EnvironmentSpec {
        base_image: wanted.spec.base_image.clone(),
        ..dated.of_the_day(&wanted.spec)
    };
    let python = sandbox.python_of(&asked).await;
    let python = python.map_err(EngineError::Environment)?;
    let draft = dated.draft(&wanted.spec, python.as_deref());
    let lock = live_indexes::settle(settings, draft).await?;
    Ok(Some(Box::new(lock)))
}
