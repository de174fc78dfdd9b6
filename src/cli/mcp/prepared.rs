//! The run that is served: begun in a folder, or the one that the folder holds.

use std::path::{Path, PathBuf};

use super::args::McpArgs;
use crate::app;
use crate::app::program::Program;
use crate::capsule::task_file::{CapsuleTask, TaskFile};
use crate::cli::capsule_attempt::choice::{RequestedAttempt, request};
use crate::cli::capsule_attempt::named_task;
use crate::cli::exit::{Failure, Status};
use crate::cli::{capsule_task, run_folder, run_request, study_request, task};
use crate::domain::stage::Stage;
use crate::engine::choice::capsule::CapsuleChoice;
use crate::engine::choice::run::RunChoice;
use crate::engine::choice::study::StudyChoice;
use crate::engine::folder::RunFolder;
use crate::engine::request::RunRequest;
use crate::model::name::CLIENT;
use crate::policy::limits::Budget;

/// A run whose request is saved.
pub struct PreparedRun {
    pub folder: RunFolder,
    pub request: RunRequest,
    /// What the answers are to, where the task has questions.
    pub questions: Vec<String>,
}

/// The run of the task that was named.
///
/// # Errors
/// A task or a folder that cannot be used, or one that holds another run.
pub async fn prepare(program: &Program, args: &McpArgs) -> Result<PreparedRun, Failure> {
    let path = &args.choice.file;
    if path.is_dir() {
        return of_study(program, args).await;
    }
    let file = TaskFile::open(path);
    let file = file.map_err(|error| Failure::new(Status::StudyInvalid, error.to_string()))?;
    let task = named_task::chosen(&file, path, args.task.as_deref())?;
    of_capsule(program, args, task).await
}

async fn of_capsule(program: &Program, args: &McpArgs, task: &CapsuleTask) -> Result<PreparedRun, Failure> {
    let questions = task.gold.questions().unwrap_or_default();
    if let Some(out) = holds_run(args) {
        let (folder, request) = taken_up(out)?;
        let held = request.capsule.as_ref();
        if held.is_none_or(|held| held.id != task.id || held.level != args.choice.level) {
            let what = held.map_or_else(
                || "no capsule".to_owned(),
                |held| format!("{} at the level {}", held.id, held.level.word()),
            );
            return Err(other(out, &what));
        }
        return Ok(PreparedRun {
            folder,
            request,
            questions,
        });
    }
    let name = format!(
        "{}-mcp",
        capsule_task::recording_name(&task.id, args.choice.level)
    );
    let folder = free(program, args, &name);
    let choice = choice(args)?;
    let attempt = RequestedAttempt {
        file: &args.choice.file,
        task,
        name: &name,
        folder: &folder,
        model: CLIENT.to_owned(),
        agent: None,
    };
    let request = request(program, &choice, attempt).await?;
    begun(&folder, request, questions)
}

async fn of_study(program: &Program, args: &McpArgs) -> Result<PreparedRun, Failure> {
    let task = task::open(&args.choice.file)?;
    if let Some(out) = holds_run(args) {
        let (folder, request) = taken_up(out)?;
        if std::fs::canonicalize(&task.root).ok().as_ref() != Some(&request.study)
            || request.capsule.is_some()
        {
            return Err(other(out, &request.study.display().to_string()));
        }
        return Ok(PreparedRun {
            folder,
            request,
            questions: Vec::new(),
        });
    }
    let name = format!("{}-mcp", run_folder::plain(&task.id));
    let folder = free(program, args, &name);
    let choice = StudyChoice {
        run: choice(args)?.run,
        code_mode: args.study.code_mode,
        code_access: args.study.code_access,
        stages: args.study.stages,
        // The client searches by itself.
        search: Some("none".to_owned()),
        ..StudyChoice::default()
    };
    let mut request = study_request::request(program, &choice, &task, &name, &folder).await?;
    let catalog = study_request::catalog(program, &choice, &task)?;
    if !catalog.track().covers(request.stages, Stage::EXECUTE) {
        request.probe = None;
    }
    task::ensure_runnable(program, &task, &request).await?;
    begun(&folder, request, Vec::new())
}

/// The folder that was named, where it holds a run.
fn holds_run(args: &McpArgs) -> Option<&Path> {
    args.out.as_deref().filter(|out| out.join("run.json").exists())
}

/// The folder that a run is begun in.
fn free(program: &Program, args: &McpArgs, name: &str) -> PathBuf {
    match &args.out {
        Some(out) => out.clone(),
        None => run_folder::free(&run_folder::timed(&program.settings, name)),
    }
}

/// The choice of a run that a client carries.
fn choice(args: &McpArgs) -> Result<CapsuleChoice, Failure> {
    app::run::approver(&run_request::approve(&args.approve)?)?;
    let choice = args.choice.clone().choice();
    Ok(CapsuleChoice {
        run: RunChoice {
            model: Some(CLIENT.to_owned()),
            approve: args.approve.clone(),
            ..choice.run
        },
        ..choice
    })
}

fn begun(folder: &Path, mut request: RunRequest, questions: Vec<String>) -> Result<PreparedRun, Failure> {
    // The calls of a client's model are not seen, so no cap holds for them.
    request.budget = Budget::default();
    let folder = run_folder::create(folder)?;
    request.save(&folder.request())?;
    Ok(PreparedRun {
        folder,
        request,
        questions,
    })
}

/// The run that a folder holds, where it is a client's.
fn taken_up(out: &Path) -> Result<(RunFolder, RunRequest), Failure> {
    let folder = RunFolder::find(out)?;
    let request = RunRequest::load(&folder.request())?;
    match request.model == CLIENT {
        true => Ok((folder, request)),
        false => Err(other(out, "an agent of its own")),
    }
}

fn other(out: &Path, what: &str) -> Failure {
    Failure::usage(format!(
        "--out {}: it holds a run of {what}; choose another folder",
        out.display()
    ))
}
