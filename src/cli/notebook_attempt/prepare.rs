//! An attempt at a notebook task that can begin.

use std::fs;
use std::path::Path;

use crate::app;
use crate::app::program::Program;
use crate::cli::chosen_agent::{lay_limits, lay_sampling};
use crate::cli::exit::{Failure, Status};
use crate::cli::prepared_attempt::{PreparedAttempt, named_recording};
use crate::cli::task_file_place::TaskFilePlace;
use crate::cli::{budget, run_folder, run_options, task};
use crate::domain::claim_wording::ClaimWording;
use crate::domain::mode::{CodeAccess, CodeMode, Setting};
use crate::domain::track::StageSelection;
use crate::effects::notebook::{environment, mirror};
use crate::engine::request::{FORMAT, MendChoice, MirrorRequest, NotebookRequest, RunRequest};
use crate::notebook::task::NotebookTask;
use crate::notebook::task_fault::NotebookTaskFault;
use crate::notebook::task_file::NotebookTaskFile;
use crate::notebook::terms::{NotebookAgent, RepositoryState, TRACK};
use crate::sandbox::docker::image::packages::system_packages;
use crate::sandbox::requirements::canonical;

use super::agent::{self, recording_name};
use super::args::NotebookAttemptArgs;
use super::dated::dated;

/// The folder of mirrors beside a task file.
const MIRRORS: &str = "repositories";

/// Prepares an attempt, in a folder that is named or in a free one.
///
/// # Errors
/// A task, a mirror, a model or a budget that cannot be used.
pub async fn prepare(
    program: &Program,
    args: &NotebookAttemptArgs,
    folder: Option<&Path>,
) -> Result<PreparedAttempt, Failure> {
    let settings = &program.settings;
    let place = TaskFilePlace::find(&args.file)?;
    let file = NotebookTaskFile::open(&args.file)
        .map_err(|error| Failure::new(Status::StudyInvalid, error.to_string()))?;
    let chosen = chosen(&file, args)?;
    let approve = run_options::approve(&args.approve)?;
    app::run::approver(&approve)?;
    let agent = agent::chosen(program, args, &approve)?;
    let catalog = program.tracks.catalog(Some(TRACK), args.stages_dir.as_deref())?;
    let budget = budget::resolve(&approve, &args.budget)?;
    budget::check(&budget, catalog.track())?;
    let stages = StageSelection::default().within(catalog.track());
    let task = task::Task {
        id: chosen.id.clone(),
        root: place.root.clone(),
        track: Some(TRACK.to_owned()),
        study: None,
    };
    let model = match &args.model {
        Some(model) => model.clone(),
        None => {
            let own = agent.own.as_ref().map(|own| own.name.as_str());
            named_recording(&task.root, &recording_name(&task.id, own))?
        }
    };
    // A task of a track has no setting: its run is named after the track.
    let name = run_folder::run_name(settings, &task, Setting::new(CodeMode::Native, CodeAccess::Code));
    let folder = folder.map_or_else(|| run_folder::free(&name), Path::to_owned);
    let lock = args.lock.given()?;
    let asked = NotebookRequest {
        agent: agent.own.as_ref().map(|own| NotebookAgent {
            name: own.name.clone(),
            attempts: args.attempts.unwrap_or(own.attempts),
        }),
        ..notebook(args, chosen, &place)?
    };
    let dated = dated(&args.lock, chosen, asked.mirror.as_ref())?;
    environment::wanted(Some(&asked), lock.as_deref(), false)
        .map_err(|why| Failure::usage(format!("--lock: {why}")))?;
    let mut request = RunRequest {
        format: FORMAT,
        run: run_options::run_id(&name, &folder),
        study: place.root.clone(),
        track: Some(TRACK.to_owned()),
        model,
        sampling: args.sampling.sampling(),
        code_mode: CodeMode::Native,
        code_access: CodeAccess::Code,
        stages: stages.map_err(|error| Failure::usage(error.to_string()))?,
        approve,
        sandbox: app::sandboxes::settled(settings, args.session.sandbox).await,
        limits: args.session.limits(),
        hosts: Vec::new(),
        budget,
        allow_unpriced: args.budget.allow_unpriced,
        record: None,
        search: None,
        vision_model: None,
        stages_dir: args.stages_dir.clone(),
        registration: None,
        probe: None,
        capsule: None,
        notebook: Some(asked),
        agent: agent.program,
        mend: MendChoice::default(),
        lock,
        dated,
        wording: ClaimWording::AsGiven,
    };
    if let Some(own) = &agent.own {
        lay_limits(program, own, &mut request)?;
        lay_sampling(program, &args.agent, own, &mut request)?;
    }
    task::ensure_runnable(program, &task, &request).await?;
    Ok(PreparedAttempt {
        task,
        folder,
        request,
    })
}

fn notebook(
    args: &NotebookAttemptArgs,
    task: &NotebookTask,
    place: &TaskFilePlace,
) -> Result<NotebookRequest, Failure> {
    let named = |what: &str, failure: crate::domain::execution::BuildFailure| {
        Failure::usage(format!("{what}: {}", failure.summary))
    };
    Ok(NotebookRequest {
        tasks: place.name.clone(),
        id: task.id.clone(),
        mirror: mirror_of(task, place, args.repos.as_deref(), args.at)?,
        hosts: args.network.hosts(&args.hosts),
        packages: canonical(&args.packages).map_err(|failure| named("--package", failure))?,
        system: system_packages(&args.system).map_err(|failure| named("--system", failure))?,
        limits: args.published.limits(task.set),
        cleaning: args.cleaning,
        lost_session: args.lost_session,
        agent: None,
    })
}

/// The mirror of a task's repository; `None` of a task that names none.
///
/// # Errors
/// A repository without a mirror, or a commit that it does not have.
pub fn mirror_of(
    task: &NotebookTask,
    place: &TaskFilePlace,
    repos: Option<&Path>,
    at: RepositoryState,
) -> Result<Option<MirrorRequest>, Failure> {
    let Some(address) = &task.repository else {
        return Ok(None);
    };
    let invalid =
        |error: mirror::MirrorFault| Failure::new(Status::StudyInvalid, format!("{}: {error}", task.id));
    let repos = repos.map_or_else(|| place.root.join(MIRRORS), Path::to_owned);
    let found = mirror::find(&repos, address).map_err(invalid)?;
    let commit = found.commit(at, task.commit.as_deref()).map_err(invalid)?;
    let folder = fs::canonicalize(&found.folder).map_err(|error| {
        Failure::new(
            Status::StudyInvalid,
            format!("{}: {error}", found.folder.display()),
        )
    })?;
    Ok(Some(MirrorRequest { folder, commit }))
}

/// The task that is attempted: the one that was named, or the only one of the file.
fn chosen<'a>(file: &'a NotebookTaskFile, args: &NotebookAttemptArgs) -> Result<&'a NotebookTask, Failure> {
    let path = args.file.display();
    let task = match (&args.task, file.tasks.as_slice()) {
        (Some(name), _) => file.get(name).ok_or_else(|| {
            Failure::usage(format!(
                "--task {name}: {path} has no task of that name; `reprise notebook list {path}` lists them"
            ))
        })?,
        (None, [only]) => only,
        (None, tasks) => {
            return Err(Failure::usage(format!(
                "{path} has {} tasks: name one with --task, such as {}",
                tasks.len(),
                tasks.first().map_or("", |task| task.id.as_str())
            )));
        }
    };
    match task.faults.iter().find(|fault| fault.stops_a_run()) {
        Some(fault) => Err(Failure::new(
            Status::StudyInvalid,
            format!("{}: {}", task.id, NotebookTaskFault::words(fault)),
        )),
        None => Ok(task),
    }
}
