//! One execution, from creating the container to removing it.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bollard::query_parameters::{AttachContainerOptions, CreateContainerOptions, InspectContainerOptions};
use tokio::task::{JoinError, JoinHandle};
use tokio_util::sync::CancellationToken;

use super::base::BaseConfiguration;
use super::ending::{ContainerStop, ending, no_program};
use super::mounts::ContainerMounts;
use super::output::{SeenBytes, Sinks};
use super::remove::remove;
use super::spec::{ContainerSpec, unenforced};
use super::taken_up;
use super::user::User;
use crate::addresses::resolver::{Public, Resolve};
use crate::domain::execution::Opened;
use crate::sandbox::contract::{Ended, Execution, SandboxError};
use crate::sandbox::disk::Disks;
use crate::sandbox::docker::container::supervise::{ContainerEnd, lost, not_started, supervise};
use crate::sandbox::docker::daemon::{Daemon, status, words};
use crate::sandbox::docker::egress::dated_index::DatedIndex;
use crate::sandbox::docker::egress::egress_proxy::{EgressProxy, EgressWays};
use crate::sandbox::docker::guard::container_guard::ContainerGuard;
use crate::sandbox::docker::labels;
use crate::sandbox::opened::{Recorder, Recording};
use crate::sandbox::ownership::{Loan, lend};
use crate::sandbox::session::indexes::SessionResolver;

/// How Podman says that `catatonit` is not installed.
const NO_INIT: &str = "container-init binary not found";
const UNREAPED: &str = "Podman found no init process (install `catatonit`): the command was the container's first \
    process, which signals of its own cannot end.";

/// What is not held where no guard runs.
const UNGUARDED: &str = "No process stood beside the engine to end the container if the engine were killed.";

/// Runs one command; the container is gone afterwards, also where the caller
/// stops waiting.
///
/// # Errors
/// A workspace that cannot be shown, or a daemon that fails; how the command ended is no error.
pub async fn execute(
    daemon: &Daemon,
    guard: Arc<OnceLock<Option<ContainerGuard>>>,
    index: Option<DatedIndex>,
    execution: &Execution,
    cancel: &CancellationToken,
) -> Result<Ended, SandboxError> {
    let cancel = cancel.child_token();
    // A command whose caller is gone ends, too, and its container is removed.
    let _guard = cancel.clone().drop_guard();
    let (daemon, execution) = (daemon.clone(), execution.clone());
    tokio::spawn(async move {
        let guard = guard.get().and_then(Option::as_ref);
        contained(&daemon, guard, index, &execution, &cancel).await
    })
    .await
    .map_err(|error| SandboxError::Failed(error.to_string()))?
}

async fn contained(
    daemon: &Daemon,
    guard: Option<&ContainerGuard>,
    index: Option<DatedIndex>,
    execution: &Execution,
    cancel: &CancellationToken,
) -> Result<Ended, SandboxError> {
    let facts = daemon.describe();
    if execution.command.is_empty() {
        return Err(SandboxError::Failed("the command is empty".to_owned()));
    }
    let base = BaseConfiguration::read(daemon, &execution.environment.location).await?;
    let place = ContainerMounts::find(execution).map_err(|why| SandboxError::Failed(why.to_string()))?;
    // A session that outlived its engine is taken up as it is.
    let running = match execution.lasting {
        true => taken_up::find(daemon, &execution.run).await?,
        false => None,
    };
    let user = match &running {
        Some(running) => running.user,
        None => User::from_facts(facts)?.over(execution.beneath.as_ref())?,
    };
    let seen = SeenBytes::default();
    let sinks = Sinks::create(
        &execution.stdout,
        &execution.stderr,
        execution.limits.output,
        &seen,
    )
    .await?;
    let holder = running.as_ref().and_then(|running| running.holder.clone());
    let ways = ways(execution, index);
    let opening = match (ways, holder) {
        (None, _) => None,
        (Some(ways), Some(holder)) => Some(EgressProxy::take_up(daemon, holder, ways).await?),
        (_, None) if running.is_some() => None,
        (Some(ways), None) => {
            let image = &execution.environment.location;
            Some(EgressProxy::make(daemon, &execution.run, &place.workspace, image, ways).await?)
        }
    };
    let name = match &running {
        Some(running) => running.name.clone(),
        None => labels::container_name(&execution.run),
    };
    let mut shape = ContainerSpec {
        name: &name,
        execution,
        place: &place,
        base: &base,
        user,
        facts,
        init: true,
        opening: opening.as_ref(),
    };
    let mut notes = unenforced(facts, user);
    // A session outlives its engine.
    let guard = guard.filter(|_| !execution.lasting);
    let held = guard.map(|guard| guard.hold(&name, execution.limits.seconds));
    if !execution.lasting && !matches!(held, Some(Ok(()))) {
        notes.push(UNGUARDED.to_owned());
    }
    let mut created = match running {
        Some(_) => Ok(Vec::new()),
        None => create(daemon, &shape).await,
    };
    if matches!(&created, Err(SandboxError::Failed(why)) if why.contains(NO_INIT)) {
        shape.init = false;
        notes.push(UNREAPED.to_owned());
        created = create(daemon, &shape).await;
    }
    let result = match created {
        Ok(warnings) => {
            notes.extend(warnings);
            let made = Made {
                daemon,
                execution,
                name: &name,
                place: &place,
                user,
            };
            made.run(sinks, seen, notes, cancel).await
        }
        Err(error) => Err(error),
    };
    let declared = shape.volumes().into_iter().map(|(volume, _)| volume);
    let volumes: Vec<String> = declared.chain(shape.overlay_volume()).collect();
    let removed = remove(daemon, &name, &volumes).await;
    if let Some(beneath) = execution.beneath.as_ref().filter(|_| removed.is_ok()) {
        beneath.clear();
    }
    if let Some(guard) = guard {
        // A guard that is gone holds nothing.
        let _ = guard.release(&name);
    }
    let reached = match opening {
        Some(opening) => opening.close().await,
        None => Vec::new(),
    };
    let result = result.map(|mut ended| {
        ended.notes.extend(reached);
        ended
    });
    match (removed, result) {
        (Ok(()), result) => result,
        (Err(why), Ok(mut ended)) => {
            // Dead, so nothing of it can do harm; the next sweep removes it.
            ended
                .notes
                .push(format!("The container {name} is still there: {why}."));
            Ok(ended)
        }
        (Err(_), Err(error)) => Err(error),
    }
}

/// The ways out of an execution's container; `None` where it has none.
fn ways(execution: &Execution, index: Option<DatedIndex>) -> Option<EgressWays<'_>> {
    let is_session = execution.lasting || execution.gateway.is_some();
    let resolve: Arc<dyn Resolve> = match is_session {
        true => Arc::new(SessionResolver),
        false => Arc::new(Public),
    };
    let ways = EgressWays {
        hosts: &execution.hosts,
        resolve,
        gateway: execution.gateway.as_deref(),
        index,
    };
    (!ways.hosts.is_empty() || ways.gateway.is_some()).then_some(ways)
}

/// Makes the container and returns the daemon's warnings.
async fn create(daemon: &Daemon, shape: &ContainerSpec<'_>) -> Result<Vec<String>, SandboxError> {
    let options = CreateContainerOptions {
        name: Some(shape.name.to_owned()),
        ..CreateContainerOptions::default()
    };
    let image = &shape.execution.environment.location;
    let body = shape.body().for_daemon();
    match daemon.client.create_container(Some(options), body).await {
        Ok(created) => Ok(created.warnings),
        Err(error) if status(&error) == Some(404) => Err(SandboxError::EnvironmentGone(image.clone())),
        Err(error) => {
            let why = words(&error);
            let way_out = if why.contains("no space left on device") {
                format!(
                    "; free some space below {}, then `reprise resume`",
                    shape.facts.root
                )
            } else if why.contains("bind source path does not exist") {
                "; the daemon does not see this machine's folders: use one that runs here".to_owned()
            } else {
                String::new()
            };
            Err(SandboxError::Failed(format!(
                "the container could not be made: {why}{way_out}"
            )))
        }
    }
}

/// The reason for which the files that a command opens go unrecorded.
#[derive(Debug, thiserror::Error)]
enum Unrecorded {
    #[error("the daemon's containers run on another kernel than this one")]
    Kernel,
    #[error(transparent)]
    Recorder(io::Error),
    #[error(transparent)]
    Thread(#[from] JoinError),
}

/// A container that was made and has not started.
struct Made<'a> {
    daemon: &'a Daemon,
    execution: &'a Execution,
    name: &'a str,
    place: &'a ContainerMounts,
    user: User,
}

impl Made<'_> {
    async fn run(
        &self,
        sinks: Sinks,
        seen: SeenBytes,
        mut notes: Vec<String>,
        cancel: &CancellationToken,
    ) -> Result<Ended, SandboxError> {
        let lent = Lent::new(self.place, self.user).await?;
        let recording = match self.record().await {
            Ok(recording) => recording,
            Err(why) => {
                notes.push(format!("Opened files were not recorded: {why}."));
                None
            }
        };
        let output = self.attach(sinks).await?;
        let lent_folders = self.place.lent();
        let disks = Disks::under(lent_folders.iter().map(PathBuf::as_path));
        let ended = supervise(self.daemon, self.name, self.execution, &disks, cancel).await;
        let opened = finish(recording).await?;
        let kept = kept(output, self.daemon.silence).await;
        let ended = match ended {
            Ok(ended) => ended,
            // What runs in the container may live on, and must own what it was lent: the
            // sweep that removes the container takes it back.
            Err(error) => {
                lent.leave();
                return Err(error);
            }
        };
        lent.give_back().await;
        if ended.stop == Some(ContainerStop::DiskFull)
            && let Some(folder) = disks.filled_by_others()
        {
            return Err(SandboxError::DiskFull(folder));
        }
        notes.extend(kept?);
        self.ended(ended, &seen, opened, notes).await
    }

    /// Arms the record of opened files, after everything the engine reads itself.
    async fn record(&self) -> Result<Option<Recording>, Unrecorded> {
        if self.execution.watched.is_empty() {
            return Ok(None);
        }
        if !self.daemon.describe().shares_kernel() {
            return Err(Unrecorded::Kernel);
        }
        let (workspace, watched) = (self.place.workspace.clone(), self.execution.watched.clone());
        tokio::task::spawn_blocking(move || Recorder::arm(&workspace, &watched)?.in_background())
            .await?
            .map(Some)
            .map_err(Unrecorded::Recorder)
    }

    /// Attaches to both streams before the start, so that no byte is lost.
    async fn attach(&self, sinks: Sinks) -> Result<JoinHandle<std::io::Result<()>>, SandboxError> {
        let options = AttachContainerOptions {
            stream: true,
            stdout: true,
            stderr: true,
            ..AttachContainerOptions::default()
        };
        let attached = self.daemon.client.attach_container(self.name, Some(options));
        let attached = self
            .daemon
            .within(attached)
            .await
            // Podman starts a container half when its output is asked for.
            .map_err(|error| not_started(&error, self.execution))?;
        Ok(tokio::spawn(sinks.fill(attached.output)))
    }

    async fn ended(
        &self,
        ended: ContainerEnd,
        seen: &SeenBytes,
        opened: Opened,
        mut notes: Vec<String>,
    ) -> Result<Ended, SandboxError> {
        let load = |count: &std::sync::atomic::AtomicU64| count.load(std::sync::atomic::Ordering::Relaxed);
        let (stdout_bytes, stderr_bytes) = (load(&seen.stdout), load(&seen.stderr));
        if ended.stop.is_none()
            && no_program(ended.code, stdout_bytes, &start_of(&self.execution.stderr).await)
        {
            let program = self.execution.command.first().cloned().unwrap_or_default();
            return Err(SandboxError::NoProgram(program));
        }
        // A daemon that is told to stop ends its containers first, by the same signals.
        let ended_from_outside = ended.stop.is_none() && matches!(ended.code, 137 | 143);
        if ended_from_outside && !self.daemon.still_answers().await {
            return Err(lost("it was stopped, and ended the command"));
        }
        let starved = ended.starved || self.starved().await?;
        let (ending, note) = ending(ended.stop, ended.code, starved);
        notes.extend(note);
        Ok(Ended {
            ending,
            stdout_bytes,
            stderr_bytes,
            opened,
            wall: ended.wall,
            peak_memory: (ended.peak > 0).then_some(ended.peak),
            notes,
        })
    }

    /// Whether the kernel has ended a process of the container for want of memory.
    async fn starved(&self) -> Result<bool, SandboxError> {
        let asked = self
            .daemon
            .client
            .inspect_container(self.name, None::<InspectContainerOptions>);
        let found = self.daemon.within(asked).await.map_err(|error| {
            SandboxError::Failed(format!(
                "the ended container cannot be inspected: {}",
                words(&error)
            ))
        })?;
        Ok(found.state.and_then(|state| state.oom_killed).unwrap_or(false))
    }
}

/// The beginning of a file; empty where it cannot be read.
async fn start_of(path: &Path) -> Vec<u8> {
    use tokio::io::AsyncReadExt as _;
    let mut start = Vec::new();
    if let Ok(file) = tokio::fs::File::open(path).await {
        // What cannot be read says nothing about a missing program.
        let _ = file.take(4096).read_to_end(&mut start).await;
    }
    start
}

async fn finish(recording: Option<Recording>) -> Result<Opened, SandboxError> {
    let Some(recording) = recording else {
        return Ok(Opened::default());
    };
    tokio::task::spawn_blocking(move || recording.finish())
        .await
        .map_err(|error| SandboxError::Failed(error.to_string()))
}

/// Waits for the last of the output, once the container has ended.
async fn kept(
    output: JoinHandle<std::io::Result<()>>,
    time_limit: Duration,
) -> Result<Option<String>, SandboxError> {
    let abort = output.abort_handle();
    match tokio::time::timeout(time_limit, output).await {
        Ok(Ok(Ok(()))) => Ok(None),
        Ok(Ok(Err(error))) => Err(SandboxError::Failed(format!("cannot keep the output: {error}"))),
        Ok(Err(error)) => Err(SandboxError::Failed(error.to_string())),
        Err(_) => {
            abort.abort();
            Ok(Some(
                "The daemon did not close the output: its end may be missing.".to_owned(),
            ))
        }
    }
}

/// The loan of folders to a container, given back on every way out.
struct Lent(Option<Loan>);

impl Lent {
    async fn new(place: &ContainerMounts, user: User) -> Result<Self, SandboxError> {
        let User::Lent(user) = user else {
            return Ok(Self(None));
        };
        let (workspace, writable) = (place.workspace.clone(), place.lent());
        tokio::task::spawn_blocking(move || Self(Some(lend(&workspace, &writable, user))))
            .await
            .map_err(|error| SandboxError::Failed(error.to_string()))
    }

    async fn give_back(mut self) {
        if let Some(loan) = self.0.take() {
            // A thread that cannot be joined has given back or panicked; the sweep does the rest.
            let _ = tokio::task::spawn_blocking(move || loan.give_back()).await;
        }
    }
}

impl Lent {
    /// Leaves what is lent as it is.
    fn leave(mut self) {
        self.0 = None;
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        if let Some(loan) = self.0.take() {
            loan.give_back();
        }
    }
}
