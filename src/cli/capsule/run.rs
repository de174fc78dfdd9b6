//! `reprise capsule run`.

use std::fs;
use std::path::{Path, PathBuf};

use crate::app;
use crate::app::program::Program;
use crate::capsule::task_file::{CapsuleId, CapsuleTask, TaskFile};
use crate::capsule::terms::TRACK;
use crate::cli::attended_run::{self, AttendedBy};
use crate::cli::budget;
use crate::cli::exit::{Failure, Status};
use crate::cli::output::Printer;
use crate::cli::run_options;
use crate::cli::{capsule_task, introduction, run_folder, task};
use crate::engine::request::RunRequest;
use crate::model::recording::path::recording_path;

use super::attempt_request::{AttemptRequest, request};
use super::run_args::RunArgs;

/// Attempts a capsule.
///
/// # Errors
/// A task or a request that cannot be used, or a run that cannot be carried on.
pub async fn run(program: &Program, printer: Printer, args: RunArgs) -> Result<Status, Failure> {
    let signing = args.sign.open()?;
    let settings = &program.settings;
    let invalid = |error: &dyn std::fmt::Display| Failure::new(Status::StudyInvalid, error.to_string());
    let file = TaskFile::open(&args.file).map_err(|error| invalid(&error))?;
    let chosen = chosen(&file, &args)?;
    let root = root(&args.file)?;
    let model = match &args.model {
        Some(model) => model.clone(),
        None => default_model(&root, &chosen.id, &args)?,
    };
    let approve = run_options::approve(&args.approve)?;
    app::run::approver(&approve)?;
    let catalog = program.tracks.catalog(Some(TRACK), args.stages_dir.as_deref())?;
    let mut budget = budget::resolve(&approve, &args.budget)?;
    if let Some(limits) = args.limits {
        limits.lay_under(&mut budget);
    }
    budget::check(&budget, catalog.track())?;
    let to_run = task::Task {
        id: capsule_task::recording_name(&chosen.id, args.level),
        root: root.clone(),
        track: Some(TRACK.to_owned()),
        study: None,
    };
    let name_of_run = run_folder::run_name(settings, &to_run, args.setting());
    let folder = match &args.out {
        Some(folder) => folder.clone(),
        None => run_folder::free(&name_of_run),
    };
    let record = args.record.as_deref();
    let record = record
        .map(|to| app::session_recording::place(&root, to))
        .transpose()?;
    let wanted = AttemptRequest {
        file: &args.file,
        task: chosen,
        capsules: args.capsules.as_deref(),
        level: args.level,
        layout: args.layout,
        network: args.network,
        hosts: &args.hosts,
        base_images: args.base_images.as_deref(),
        sandbox: args.session.sandbox,
        limits: args.session.limits(),
    };
    let request = RunRequest {
        run: run_options::run_id(&name_of_run, &folder),
        model,
        sampling: args.sampling.sampling(),
        approve,
        budget,
        allow_unpriced: args.budget.allow_unpriced,
        record,
        vision_model: args.vision_model.clone(),
        stages_dir: args.stages_dir.clone(),
        ..request(program, &wanted, "capsule", &folder).await?
    };
    task::ensure_runnable(program, &to_run, &request).await?;
    let folder = run_folder::create(&folder)?;
    request.save(&folder.request())?;
    if !args.quiet {
        introduction::tell(printer, &root, &request.model);
    }
    let person = AttendedBy {
        quiet: args.quiet,
        json: args.json,
        signing,
    };
    attended_run::carry(program, printer, folder, request, person).await
}

/// The folder of a task file.
fn root(file: &Path) -> Result<PathBuf, Failure> {
    let path = fs::canonicalize(file)
        .map_err(|error| Failure::new(Status::StudyInvalid, format!("{}: {error}", file.display())))?;
    Ok(path.parent().unwrap_or(&path).to_owned())
}

/// The task that is attempted: the one that was named, or the only one of the file.
fn chosen<'a>(file: &'a TaskFile, args: &RunArgs) -> Result<&'a CapsuleTask, Failure> {
    let name = args.file.display();
    match &args.task {
        Some(text) => {
            let id = CapsuleId::parse(text).ok_or_else(|| {
                Failure::usage(format!(
                    "--task {text}: a capsule is named `capsule-` and seven digits"
                ))
            })?;
            file.get(&id).ok_or_else(|| {
                Failure::usage(format!(
                    "--task {text}: {name} has no such task; `reprise capsule list {name}` lists them"
                ))
            })
        }
        None => match file.tasks.as_slice() {
            [only] => Ok(only),
            tasks => Err(Failure::usage(format!(
                "{name} has {} tasks: name one with --task, such as {}",
                tasks.len(),
                tasks.first().map_or("", |task| task.id.as_str())
            ))),
        },
    }
}

/// The recording of a task at a level, where it has one.
fn default_model(root: &Path, id: &CapsuleId, args: &RunArgs) -> Result<String, Failure> {
    let name = capsule_task::recording_name(id, args.level);
    if recording_path(root, &name).is_file() {
        return Ok(format!("recorded:{name}"));
    }
    Err(Failure::usage(format!(
        "name a model with --model, such as openai/gpt-5: {} has no recording {name}",
        root.display()
    )))
}
