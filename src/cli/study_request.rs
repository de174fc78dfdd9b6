//! The request of a run of a study, or of another folder with a task.

use std::fs;
use std::path::Path;

use crate::app;
use crate::app::program::Program;
use crate::catalog::stages::load::{Catalog, LackingStage};
use crate::domain::claim_only;
use crate::domain::mode::Setting;
use crate::engine::choice::study::StudyChoice;
use crate::engine::request::RunRequest;
use crate::model::recording::path::recording_path;
use crate::policy::limits::Caps;
use crate::policy::scope::Scope;

use super::agent_request::{ensure_no_program, over_stages};
use super::chosen_agent::{ChosenAgent, chosen};
use super::exit::Failure;
use super::lock_args;
use super::run_request::{self, RequestedRun, approve};
use super::task::{self, Task};

/// Opens the task of a run, on the track that its agent goes through.
///
/// # Errors
/// A folder that is no usable task, or an agent that has no use for it.
pub fn open(choice: &StudyChoice, path: &Path) -> Result<Task, Failure> {
    let mut task = task::open(path)?;
    if choice.run.agent.is_claim_only() {
        ensure_no_program(&choice.run.agent)?;
        if task.study.is_none() {
            return Err(Failure::usage(format!(
                "--agent {} guesses the outcome of a study's claim, and {} is none",
                claim_only::TRACK,
                path.display()
            )));
        }
        task.track = Some(claim_only::TRACK.to_owned());
    }
    Ok(task)
}

/// The definitions in force for a task.
///
/// # Errors
/// A track that this program does not know, or a definition that cannot be used.
pub fn catalog(program: &Program, choice: &StudyChoice, task: &Task) -> Result<Catalog, Failure> {
    let overrides = choice.run.stages_dir.as_deref();
    Ok(program.tracks.catalog(task.track.as_deref(), overrides)?)
}

/// The request of a run of `task` in `folder`, under a name that other runs
/// may have as well.
///
/// # Errors
/// An approval, a budget, a model or a search engine that cannot be had as it was chosen.
pub async fn request(
    program: &Program,
    choice: &StudyChoice,
    task: &Task,
    name: &str,
    folder: &Path,
) -> Result<RunRequest, Failure> {
    let (settings, run) = (&program.settings, &choice.run);
    let approve = approve(&run.approve)?;
    app::run::approver(&approve)?;
    let ChosenAgent { own, program: agent } = chosen(program, run, task.track.as_deref(), &approve)?;
    if let Some(own) = own {
        return Err(Failure::usage(format!(
            "--agent {}: agents that are part of this program go through capsules and notebook tasks alone: leave it out",
            own.name
        )));
    }
    let model = match &run.model {
        Some(model) => model.clone(),
        None => default_model(task, choice.setting())?,
    };
    let catalog = catalog(program, choice, task)?;
    let of = RequestedRun {
        root: fs::canonicalize(&task.root).unwrap_or_else(|_| task.root.clone()),
        track: task.track.clone(),
        name,
        folder,
        stages: choice.stages,
        model,
        agent: None,
    };
    let mut request = run_request::request(settings, &catalog, run, of).await?;
    if let Some(LackingStage { stage, needs }) = catalog.lacking(request.stages) {
        return Err(Failure::usage(format!(
            "--stages {}: the stage {stage} works on what {needs} came to, and no stage before it is \
             gone through: begin with {needs} or earlier",
            request.stages
        )));
    }
    let agent = agent.map(|agent| over_stages(choice, agent, catalog.track(), request.stages));
    let search = app::searching::search_name(settings, choice.search.as_deref(), &request.model)?;
    *request.budget.at(Scope::Batch) = Caps::default();
    Ok(RunRequest {
        code_mode: choice.code_mode,
        code_access: choice.code_access,
        hosts: run.hosts.clone(),
        search: search.map(|name| name.to_string()),
        probe: choice.probe,
        agent: agent.transpose()?,
        mend: choice.mend,
        dated: lock_args::dated(&run.lock, &task.root, &task.root.display().to_string())?,
        wording: choice.wording,
        ..request
    })
}

/// The recording of a study for a setting, or of another task for its track, where it
/// has one.
fn default_model(task: &Task, setting: Setting) -> Result<String, Failure> {
    let name = task.track.as_deref().unwrap_or_else(|| setting.name());
    if recording_path(&task.root, name).is_file() {
        return Ok(format!("recorded:{name}"));
    }
    Err(Failure::usage(format!(
        "name a model with --model, such as openai/gpt-5, or `human` to fill in forms: {} has no recording for the setting {name}",
        task.root.display()
    )))
}
