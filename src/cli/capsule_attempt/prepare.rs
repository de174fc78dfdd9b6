//! An attempt that can begin.

use std::path::Path;

use crate::app;
use crate::app::program::Program;
use crate::capsule::task_file::TaskFile;
use crate::capsule::terms::TRACK;
use crate::cli::agent_args::AgentCompany;
use crate::cli::chosen_agent::{self, AgentTrack};
use crate::cli::exit::{Failure, Status};
use crate::cli::prepared_attempt::{PreparedAttempt, recorded_model};
use crate::cli::task_file_place::TaskFilePlace;
use crate::cli::{budget, capsule_task, run_folder, run_options, task};
use crate::domain::mode::{CodeAccess, CodeMode, Setting};
use crate::engine::request::RunRequest;

use super::args::AttemptArgs;
use super::choice::{RunActors, request};
use super::named_task::chosen;
use super::own_agent::lay_terms;

/// Prepares an attempt, in a folder that is named or in a free one.
///
/// # Errors
/// A task, a model or a budget that cannot be used.
pub async fn prepare(
    program: &Program,
    args: &AttemptArgs,
    folder: Option<&Path>,
) -> Result<PreparedAttempt, Failure> {
    let settings = &program.settings;
    let invalid = |error: &dyn std::fmt::Display| Failure::new(Status::StudyInvalid, error.to_string());
    let choice = &args.choice;
    let file = TaskFile::open(&choice.file).map_err(|error| invalid(&error))?;
    let chosen = chosen(&file, &choice.file, args.task.as_deref())?;
    let approve = run_options::approve(&args.approve)?;
    app::run::approver(&approve)?;
    let catalog = program
        .tracks
        .catalog(Some(TRACK), choice.stages_dir.as_deref())?;
    let mut budget = budget::resolve(&approve, &args.budget)?;
    if let Some(limits) = args.limits {
        limits.lay_under(&mut budget);
    }
    budget::check(&budget, catalog.track())?;
    let task = task::Task {
        id: capsule_task::recording_name(&chosen.id, choice.level),
        root: TaskFilePlace::find(&choice.file)?.root,
        track: Some(TRACK.to_owned()),
        study: None,
    };
    let company = AgentCompany {
        model: args.model.as_deref(),
        sampling: args.sampling.sampling(),
        approve: &approve,
    };
    let of = AgentTrack {
        track: Some(TRACK),
        stages_dir: choice.stages_dir.as_deref(),
    };
    let agent = chosen_agent::chosen(program, &args.agent, of, company)?;
    let model = match &args.model {
        Some(model) => model.clone(),
        None => recorded_model(&task)?,
    };
    // A task of a track has no setting: its run is named after the track.
    let name = run_folder::run_name(settings, &task, Setting::new(CodeMode::Native, CodeAccess::Code));
    let folder = folder.map_or_else(|| run_folder::free(&name), Path::to_owned);
    let mut request = RunRequest {
        sampling: args.sampling.sampling(),
        budget,
        allow_unpriced: args.budget.allow_unpriced,
        vision_model: args.vision_model.clone(),
        agent: agent.program,
        ..request(
            program,
            choice,
            chosen,
            &name,
            &folder,
            RunActors { model, approve },
        )
        .await?
    };
    if let Some(capsule) = &mut request.capsule {
        capsule.lost_session = args.lost_session;
    }
    task::ensure_runnable(program, &task, &request).await?;
    let mut prepared = PreparedAttempt {
        task,
        folder,
        request,
    };
    if let Some(own) = &agent.own {
        lay_terms(program, args, own, &mut prepared)?;
    }
    Ok(prepared)
}
