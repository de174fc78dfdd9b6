//! The run that is served: begun in a folder, or the one that the folder holds.

use std::path::{Path, PathBuf};

use super::args::McpArgs;
use super::study;
use crate::app;
use crate::app::program::Program;
use crate::capsule::task_file::{CapsuleTask, TaskFile};
use crate::cli::capsule_attempt::choice::{self, RunActors};
use crate::cli::capsule_attempt::named_task;
use crate::cli::exit::{Failure, Status};
use crate::cli::{capsule_task, run_folder, run_options, task};
use crate::engine::folder::RunFolder;
use crate::engine::request::RunRequest;
use crate::model::name::CLIENT;

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
    let request = choice::request(program, &args.choice, task, &name, &folder, actors(args)?).await?;
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
    let request = study::request(program, args, &task, &name, &folder, actors(args)?).await?;
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

fn actors(args: &McpArgs) -> Result<RunActors, Failure> {
    let approve = run_options::approve(&args.approve)?;
    app::run::approver(&approve)?;
    Ok(RunActors {
        model: CLIENT.to_owned(),
        approve,
    })
}

fn begun(folder: &Path, request: RunRequest, questions: Vec<String>) -> Result<PreparedRun, Failure> {
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
    let folder = run_folder::folder(out)?;
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
