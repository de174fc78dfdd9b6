//! A study that a client carries.

use std::fs;
use std::path::Path;

use super::args::McpArgs;
use crate::app;
use crate::app::program::Program;
use crate::catalog::stages::load::LackingStage;
use crate::cli::capsule_attempt::choice::RunActors;
use crate::cli::exit::Failure;
use crate::cli::run_options::run_id;
use crate::cli::task::Task;
use crate::domain::claim_wording::ClaimWording;
use crate::domain::probe::ProbeSettings;
use crate::domain::sampling::Sampling;
use crate::domain::stage::Stage;
use crate::engine::request::{FORMAT, MendChoice, RunRequest};
use crate::policy::limits::Budget;

/// The request of a run of a study.
///
/// # Errors
/// Stages that the study's track has not, or that work on what no stage before them came to.
pub async fn request(
    program: &Program,
    args: &McpArgs,
    task: &Task,
    name: &str,
    folder: &Path,
    actors: RunActors,
) -> Result<RunRequest, Failure> {
    let settings = &program.settings;
    let choice = &args.study;
    let stages_dir = args.choice.stages_dir.clone();
    let catalog = program
        .tracks
        .catalog(task.track.as_deref(), stages_dir.as_deref())?;
    let stages = choice.stages.within(catalog.track());
    let stages = stages.map_err(|problem| Failure::usage(format!("--stages: {problem}")))?;
    if let Some(LackingStage { stage, needs }) = catalog.lacking(stages) {
        return Err(Failure::usage(format!(
            "--stages {stages}: the stage {stage} works on what {needs} came to: begin with {needs} or earlier"
        )));
    }
    let probed = catalog.track().covers(stages, Stage::EXECUTE);
    Ok(RunRequest {
        format: FORMAT,
        run: run_id(name, folder),
        study: fs::canonicalize(&task.root).unwrap_or_else(|_| task.root.clone()),
        track: task.track.clone(),
        model: actors.model,
        sampling: Sampling::default(),
        code_mode: choice.code_mode,
        code_access: choice.code_access,
        stages,
        approve: actors.approve,
        sandbox: app::sandboxes::settled(settings, args.choice.session.sandbox).await,
        limits: args.choice.session.limits(),
        hosts: args.choice.hosts.clone(),
        budget: Budget::default(),
        allow_unpriced: false,
        record: None,
        search: None,
        vision_model: None,
        stages_dir,
        registration: None,
        probe: probed.then_some(ProbeSettings { seconds: None }),
        capsule: None,
        notebook: None,
        agent: None,
        mend: MendChoice::default(),
        wording: ClaimWording::AsGiven,
        lock: args.choice.lock.given()?,
        dated: args
            .choice
            .lock
            .dated(&task.root, &task.root.display().to_string())?,
    })
}
