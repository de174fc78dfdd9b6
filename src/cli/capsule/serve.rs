//! `reprise capsule serve`.

use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, ValueEnum};
use rand::distr::{Alphanumeric, SampleString as _};
use serde_json::json;
use tokio::net::TcpListener;

use crate::app::episodes::openenv::{IDLE, Served, ServedTask, router};
use crate::app::episodes::pool::{EpisodePool, PoolBounds};
use crate::app::episodes::shared_capsule::{ShareError, SharedCapsule};
use crate::app::program::Program;
use crate::capsule::archive::source::CapsuleSource;
use crate::capsule::task_file::{CapsuleTask, TaskFile};
use crate::cli::capsule_task;
use crate::cli::exit::{Failure, Status};
use crate::cli::leftovers::remove_below;
use crate::cli::output::Printer;
use crate::cli::signals::until_stopped;
use crate::engine::choice::capsule::CapsuleChoice;
use crate::engine::choice::run::RunChoice;
use crate::engine::request::RunRequest;
use crate::model::name::CLIENT;
use crate::sandbox::docker::daemon::Daemon;

use crate::cli::capsule_attempt::choice::{CapsuleArgs, RequestedAttempt, request};
use crate::cli::capsule_attempt::dated_lock::locked;
use crate::cli::capsule_attempt::named_task::named_task;

/// The folder of the capsule that lies beneath the episodes of a task, beside these.
const SHARED: &str = "capsule";

#[derive(Debug, Args)]
#[command(after_help = "\
Speaks OpenEnv: a WebSocket at /ws (reset, step, state, close), and the same as requests (POST /reset, /step, /submit, \
/close, GET /state, /schema, /health). An action is an object with `command`, `control` or `report`; the reward, 0 or 1, \
comes with the report alone. Each episode is a run below --out, with its journal. `task_id` in a reset chooses a task.

Examples:
  reprise capsule serve capsules/sunspots/task.json --warm 4
  reprise capsule serve core_train.json --task capsule-0851068 --capsules capsules/ --level medium --port 8123")]
pub struct ServeArgs {
    #[command(flatten)]
    pub choice: CapsuleArgs,
    /// A task to serve; may be given again [default: all whose capsule is there]
    #[arg(long, value_name = "ID")]
    pub task: Vec<String>,
    /// The address to listen at; anything but a loopback is reached by others
    #[arg(long, default_value = "127.0.0.1")]
    pub host: IpAddr,
    /// The port; 0 takes a free one
    #[arg(long, default_value_t = 8765)]
    pub port: u16,
    /// Let everybody who reaches the address begin episodes, without a token
    #[arg(long)]
    pub no_token: bool,
    /// Episodes of each task that wait, ready
    #[arg(long, default_value_t = 2, value_name = "COUNT")]
    pub warm: usize,
    /// Episodes of each task at once, those that wait included
    #[arg(long, default_value_t = 16, value_name = "COUNT")]
    pub episodes: usize,
    /// Seconds that a reset may wait for a place
    #[arg(long, default_value_t = 60, value_name = "SECONDS")]
    pub queue_time: u64,
    /// Whether each episode has a copy of the capsule, or one of them lies beneath all, copy-on-write
    #[arg(long, value_enum, default_value_t = FilesChoice::Auto)]
    pub files: FilesChoice,
    /// Refused: the trainer that steps through an episode is its agent
    #[arg(long, value_name = "NAME", hide = true)]
    pub agent: Option<String>,
    /// The folder that the episodes' runs are written below
    #[arg(long, value_name = "DIR", default_value = "episodes")]
    pub out: PathBuf,
    /// Print where it listens as JSON.
    #[arg(long)]
    pub json: bool,
}

/// The files of a capsule in its episodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FilesChoice {
    /// Mounted where the sandbox can, else copied.
    Auto,
    /// One capsule lies beneath all episodes, by an overlay of the kernel's.
    Mounted,
    /// Each has its own.
    Copied,
}

/// Serves episodes until it is stopped.
///
/// # Errors
/// Tasks or capsules that cannot be used, or an address that is taken.
pub async fn serve(program: &Program, printer: Printer, mut args: ServeArgs) -> Result<Status, Failure> {
    args.choice.open_task_folder()?;
    let invalid = |why: String| Failure::new(Status::StudyInvalid, why);
    if let Some(agent) = &args.agent {
        return Err(Failure::usage(format!(
            "--agent {agent}: an episode asks no model, and the trainer that steps through it is its agent; have {agent} \
             attempt capsules by `reprise capsule run --agent {agent}`, or in a bench"
        )));
    }
    let file = TaskFile::open(&args.choice.file).map_err(|error| invalid(error.to_string()))?;
    let program = Arc::new(program.clone());
    // A server that was killed has left the containers of its episodes, which no later one takes up.
    if let Ok(daemon) = Daemon::connect(&program.settings.operator).await {
        let removed = remove_below(&daemon, &args.out).await;
        removed.map_err(|error| Failure::new(Status::Infrastructure, error.to_string()))?;
    }
    let bounds = PoolBounds {
        warm: args.warm,
        most: args.episodes.max(1),
        patience: Duration::from_secs(args.queue_time),
    };
    let choice = args.choice.clone().choice();
    // The trainer that steps through an episode is its agent, and no command waits for a person.
    let choice = CapsuleChoice {
        run: RunChoice {
            approve: "auto".to_owned(),
            ..choice.run
        },
        ..choice
    };
    let mut pools = Vec::new();
    let mut shared = Vec::new();
    for task in chosen(&file, &args)? {
        let name = format!(
            "{}-episode",
            capsule_task::recording_name(&task.id, args.choice.level)
        );
        let attempt = RequestedAttempt {
            file: &args.choice.file,
            task,
            name: &name,
            folder: &args.out,
            model: CLIENT.to_owned(),
            agent: None,
        };
        let attempt = request(&program, &choice, attempt).await?;
        let attempt = locked(&program.settings, printer, task, attempt).await?;
        let questions = task.gold.questions().unwrap_or_default();
        let folder = args
            .out
            .join(capsule_task::recording_name(&task.id, args.choice.level));
        let attempt = match share(&program, printer, args.files, &attempt, &folder).await? {
            Some(capsule) => {
                let attempt = capsule.beneath(attempt);
                shared.push(capsule);
                attempt
            }
            None => attempt,
        };
        pools.push(ServedTask {
            task: task.id.to_string(),
            questions,
            pool: EpisodePool::new(Arc::clone(&program), attempt, folder, bounds),
        });
    }
    let listener = TcpListener::bind(SocketAddr::new(args.host, args.port)).await;
    let listener = listener
        .map_err(|error| Failure::usage(format!("--host {} --port {}: {error}", args.host, args.port)))?;
    let address = listener
        .local_addr()
        .map_err(|error| Failure::new(Status::Infrastructure, error.to_string()))?;
    let token = (!args.no_token).then(|| Alphanumeric.sample_string(&mut rand::rng(), 32));
    let served = Arc::new(Served {
        pools,
        token: token.clone(),
        loopback: address.ip().is_loopback().then_some(address),
        episodes: Default::default(),
        tasks: Default::default(),
        idle: IDLE,
        over: Default::default(),
    });
    for one in &served.pools {
        one.pool.fill();
    }
    let tasks: Vec<&str> = served.pools.iter().map(|one| one.task.as_str()).collect();
    if args.json {
        printer.json(&json!({ "address": format!("http://{address}"), "token": token, "tasks": tasks }))?;
    } else {
        printer.line(format!("http://{address} serves {}", tasks.join(", ")));
        if let Some(token) = &token {
            printer.line(format!("token {token}"));
        }
    }
    let (cancel, watcher) = until_stopped();
    let serving = axum::serve(listener, router(Arc::clone(&served)));
    let stopped = tokio::select! {
        served = serving => served,
        () = cancel.cancelled() => Ok(()),
    };
    watcher.abort();
    served.end().await;
    for one in &served.pools {
        one.pool.close().await;
    }
    for capsule in shared {
        if let Err(error) = capsule.remove().await {
            printer.note(format!("{error}; it can be removed"));
        }
    }
    stopped.map_err(|error| Failure::new(Status::Infrastructure, error.to_string()))?;
    Ok(Status::Interrupted)
}

/// Lays a capsule out to lie beneath its episodes, where that is asked for and can be; `None`: each has
/// its own copy.
async fn share(
    program: &Program,
    printer: Printer,
    files: FilesChoice,
    attempt: &RunRequest,
    folder: &Path,
) -> Result<Option<SharedCapsule>, Failure> {
    if files == FilesChoice::Copied {
        return Ok(None);
    }
    match SharedCapsule::lay_out(program, attempt, &folder.join(SHARED)).await {
        Ok(capsule) => Ok(Some(capsule)),
        Err(ShareError::Sandbox(why)) if files == FilesChoice::Auto => {
            printer.note(format!("The capsule is copied for each episode: {why}."));
            Ok(None)
        }
        Err(ShareError::Sandbox(why)) => Err(Failure::usage(format!(
            "--files mounted: {why}; choose auto or copied"
        ))),
        Err(ShareError::Engine(error)) => Err(error.into()),
        Err(broken) => Err(Failure::new(Status::Infrastructure, broken.to_string())),
    }
}

/// The tasks that are served: those that are named, else all whose capsule is there.
fn chosen<'a>(file: &'a TaskFile, args: &ServeArgs) -> Result<Vec<&'a CapsuleTask>, Failure> {
    if !args.task.is_empty() {
        let named = args
            .task
            .iter()
            .map(|name| named_task(file, &args.choice.file, name));
        return named.collect();
    }
    let capsules = match &args.choice.capsules {
        Some(folder) => folder.as_path(),
        None => args.choice.file.parent().unwrap_or(Path::new("")),
    };
    let is_there = |task: &&CapsuleTask| CapsuleSource::find(capsules, &task.id).is_some();
    let there: Vec<&CapsuleTask> = file.tasks.iter().filter(is_there).collect();
    match there.is_empty() {
        true => Err(Failure::new(
            Status::StudyInvalid,
            format!(
                "{} holds no capsule of the file: name the folder with --capsules",
                capsules.display()
            ),
        )),
        false => Ok(there),
    }
}
