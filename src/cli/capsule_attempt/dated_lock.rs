//! The lock of a day that all episodes of a capsule are held to, made before the first of them.

use crate::app;
use crate::app::live_indexes;
use crate::capsule::task_file::CapsuleTask;
use crate::cli::exit::Failure;
use crate::cli::output::{Printer, one_line};
use crate::effects::capsule::environment::{language, wanted};
use crate::effects::lock_wish::LockWish;
use crate::engine::request::RunRequest;
use crate::settings::Settings;

/// The request with the lock of its day in the place of the day, so that no episode asks the indexes.
///
/// # Errors
/// A sandbox that cannot be had, or an index that does not answer.
pub async fn locked(
    settings: &Settings,
    printer: Printer,
    task: &CapsuleTask,
    mut request: RunRequest,
) -> Result<RunRequest, Failure> {
    let (Some(dated), Some(capsule)) = (request.dated.take(), &request.capsule) else {
        return Ok(request);
    };
    let sandbox = app::sandboxes::sandbox(settings, request.sandbox).await?;
    let wish = LockWish {
        spec: wanted(capsule, language(&task.language), sandbox.tier()).spec,
        keeps_image: true,
    };
    let draft = wish.draft(&dated, Some(sandbox.as_ref())).await?;
    let draft = wish.with_releases(draft, &dated, Some(sandbox.as_ref())).await?;
    let told = |sentence: &str| printer.note(one_line(sentence));
    request.lock = Some(Box::new(live_indexes::settle(settings, draft, &told).await?));
    Ok(request)
}
