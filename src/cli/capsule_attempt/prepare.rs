//! An attempt that can begin.

use std::path::Path;

use crate::app;
use crate::app::program::Program;
use crate::capsule::layout::level::Level;
use crate::capsule::layout::reproducing::needs_gpu;
use crate::capsule::task_file::TaskFile;
use crate::capsule::terms::TRACK;
use crate::cli::chosen_agent;
use crate::cli::exit::{Failure, Status};
use crate::cli::prepared_attempt::{NamedTask, PreparedAttempt, recorded_model};
use crate::cli::run_request::approve;
use crate::cli::task_file_place::TaskFilePlace;
use crate::cli::{capsule_task, run_folder, task};
use crate::domain::mode::{CodeAccess, CodeMode, Setting};
use crate::effects::capsule::staging::reproducing;
use crate::engine::choice::capsule::CapsuleChoice;

use super::choice::{RequestedAttempt, request};
use super::named_task::chosen;
use super::own_agent::lay_terms;

/// What Linux calls the devices of NVIDIA, of AMD, and of Windows below it.
const GPUS: [&str; 3] = ["/dev/nvidiactl", "/dev/kfd", "/dev/dxg"];

/// Prepares an attempt, in a folder that is named or in a free one.
///
/// # Errors
/// A task, a model or a budget that cannot be used.
pub async fn prepare(
    program: &Program,
    choice: &CapsuleChoice,
    named: NamedTask<'_>,
    folder: Option<&Path>,
) -> Result<PreparedAttempt, Failure> {
    let (settings, run) = (&program.settings, &choice.run);
    let invalid = |error: &dyn std::fmt::Display| Failure::new(Status::StudyInvalid, error.to_string());
    let file = TaskFile::open(named.file).map_err(|error| invalid(&error))?;
    let chosen = chosen(&file, named.file, named.task)?;
    let approve = approve(&run.approve)?;
    app::run::approver(&approve)?;
    let task = task::Task {
        id: capsule_task::recording_name(&chosen.id, choice.level),
        root: TaskFilePlace::find(named.file)?.root,
        track: Some(TRACK.to_owned()),
        study: None,
    };
    let agent = chosen_agent::chosen(program, run, Some(TRACK), &approve)?;
    let model = match &run.model {
        Some(model) => model.clone(),
        None => recorded_model(&task)?,
    };
    // A task of a track has no setting: its run is named after the track.
    let name = run_folder::run_name(settings, &task, Setting::new(CodeMode::Native, CodeAccess::Code));
    let folder = folder.map_or_else(|| run_folder::free(&name), Path::to_owned);
    let attempt = RequestedAttempt {
        file: named.file,
        task: chosen,
        name: &name,
        folder: &folder,
        model,
        agent: agent.program,
    };
    let request = request(program, choice, attempt).await?;
    if let Some(capsule) = request
        .capsule
        .as_ref()
        .filter(|capsule| capsule.level != Level::Easy)
    {
        let asks = needs_gpu(capsule.layout, &reproducing(&capsule.source), chosen.needs_gpu);
        if asks && !GPUS.iter().any(|device| Path::new(device).exists()) {
            return Err(Failure::new(
                Status::StudyInvalid,
                format!(
                    "{} needs a GPU, and this machine has none: attempt it where one is, or at --level easy, at which its \
                     results are read",
                    chosen.id
                ),
            ));
        }
    }
    task::ensure_runnable(program, &task, &request).await?;
    let mut prepared = PreparedAttempt {
        task,
        folder,
        request,
    };
    if let Some(own) = &agent.own {
        lay_terms(program, choice, chosen, own, &mut prepared)?;
    }
    Ok(prepared)
}
