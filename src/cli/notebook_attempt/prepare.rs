//! An attempt at a notebook task that can begin.

use std::fs;
use std::path::Path;

use crate::app;
use crate::app::program::Program;
use crate::cli::chosen_agent::{lay_limits, lay_sampling};
use crate::cli::exit::{Failure, Status};
use crate::cli::prepared_attempt::{NamedTask, PreparedAttempt, named_recording};
use crate::cli::run_request::{self, RequestedRun, approve};
use crate::cli::task_file_place::TaskFilePlace;
use crate::cli::{run_folder, task};
use crate::domain::mode::{CodeAccess, CodeMode, Setting};
use crate::domain::track::StageSelection;
use crate::effects::notebook::{environment, mirror};
use crate::engine::choice::notebook::NotebookChoice;
use crate::engine::request::{MirrorRequest, NotebookRequest};
use crate::notebook::task::NotebookTask;
use crate::notebook::task_fault::NotebookTaskFault;
use crate::notebook::task_file::NotebookTaskFile;
use crate::notebook::terms::{NotebookAgent, RepositoryState, TRACK};
use crate::sandbox::docker::image::packages::system_packages;
use crate::sandbox::requirements::canonical;

use super::agent::{self, recording_name};
use super::dated::dated;

/// The folder of mirrors beside a task file.
const MIRRORS: &str = "repositories";

/// Prepares an attempt at a task of a file, in a folder that is named or in a free one.
///
/// # Errors
/// A task, a mirror, a model or a budget that cannot be used.
pub async fn prepare(
    program: &Program,
    choice: &NotebookChoice,
    named: NamedTask<'_>,
    folder: Option<&Path>,
) -> Result<PreparedAttempt, Failure> {
    let (settings, run) = (&program.settings, &choice.run);
    let place = TaskFilePlace::find(named.file)?;
    let file = NotebookTaskFile::open(named.file)
        .map_err(|error| Failure::new(Status::StudyInvalid, error.to_string()))?;
    let chosen = chosen(&file, named)?;
    let approve = approve(&run.approve)?;
    app::run::approver(&approve)?;
    let agent = agent::chosen(program, choice, &approve)?;
    let catalog = program.tracks.catalog(Some(TRACK), run.stages_dir.as_deref())?;
    let task = task::Task {
        id: chosen.id.clone(),
        root: place.root.clone(),
        track: Some(TRACK.to_owned()),
        study: None,
    };
    let model = match &run.model {
        Some(model) => model.clone(),
        None => {
            let own = agent.own.as_ref().map(|own| own.name.as_str());
            named_recording(&task.root, &recording_name(&task.id, own))?
        }
    };
    // A task of a track has no setting: its run is named after the track.
    let name = run_folder::run_name(settings, &task, Setting::new(CodeMode::Native, CodeAccess::Code));
    let folder = folder.map_or_else(|| run_folder::free(&name), Path::to_owned);
    let requested = RequestedRun {
        root: place.root.clone(),
        track: Some(TRACK.to_owned()),
        name: &name,
        folder: &folder,
        stages: StageSelection::default(),
        model,
        agent: agent.program,
    };
    let mut request = run_request::request(settings, &catalog, run, requested).await?;
    let asked = NotebookRequest {
        agent: agent.own.as_ref().map(|own| NotebookAgent {
            name: own.name.clone(),
            attempts: choice.attempts.unwrap_or(own.attempts),
        }),
        ..notebook(choice, chosen, &place)?
    };
    request.dated = dated(&run.lock, chosen, asked.mirror.as_ref())?;
    environment::wanted(Some(&asked), request.lock.as_deref(), false)
        .map_err(|why| Failure::usage(format!("--lock: {why}")))?;
    request.notebook = Some(asked);
    if let Some(own) = &agent.own {
        lay_limits(program, own, &mut request)?;
        lay_sampling(program, &run.agent, own, &mut request)?;
    }
    task::ensure_runnable(program, &task, &request).await?;
    Ok(PreparedAttempt {
        task,
        folder,
        request,
    })
}

fn notebook(
    choice: &NotebookChoice,
    task: &NotebookTask,
    place: &TaskFilePlace,
) -> Result<NotebookRequest, Failure> {
    let named = |what: &str, failure: crate::domain::execution::BuildFailure| {
        Failure::usage(format!("{what}: {}", failure.summary))
    };
    Ok(NotebookRequest {
        tasks: place.name.clone(),
        id: task.id.clone(),
        mirror: mirror_of(task, place, choice.repos.as_deref(), choice.at)?,
        hosts: choice.network.hosts(&choice.run.hosts),
        packages: canonical(&choice.packages).map_err(|failure| named("--package", failure))?,
        system: system_packages(&choice.system).map_err(|failure| named("--system", failure))?,
        limits: choice.budgets.limits(task.set),
        cleaning: choice.cleaning,
        lost_session: choice.lost_session,
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
fn chosen<'a>(file: &'a NotebookTaskFile, named: NamedTask<'_>) -> Result<&'a NotebookTask, Failure> {
    let path = named.file.display();
    let task = match (named.task, file.tasks.as_slice()) {
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
