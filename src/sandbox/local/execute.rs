//! One execution, from lending the workspace to taking it back.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::bind_mounts::{WorkspaceBinds, closed_above};
use super::build::Ready;
use super::cgroup::Cgroup;
use super::output::Sink;
use super::policy::{Bind, Policy, PolicyNetwork, Report};
use super::scratch::{self, Scratch};
use super::shared::Shared;
use super::supervise::{ProcessStop, TreeLimits, Watch, Watched, watch};
use crate::domain::execution::Ending;
use crate::sandbox::contract::{BESIDE, Ended, Execution, NoOpenHosts, SandboxError};
use crate::sandbox::disk::{self, Disks};
use crate::sandbox::inside::{real_folder, variables};
use crate::sandbox::opened::Recorder;
use crate::sandbox::ownership::{Loan, lend};

/// Bytes that the temporary file system may hold at most.
const TEMPORARY: u64 = 2 << 30;

/// What Landlock leaves open.
const LANDLOCK: &str = "Code was confined by Landlock, without namespaces: whether a file or a process of the \
    host exists can still be asked, changes of file modes and times are ignored, and the temporary folder has no limit but \
    that of each file.";

/// What is known without a cgroup.
const MEASURED: &str = "No cgroup can be made here: memory is limited per process by the kernel, and over the \
    process tree by a measurement ten times a second.";
const GROUPED: &str = "Memory and processes are limited by a cgroup, over the whole process tree.";

/// Runs one command. Blocks.
pub fn execute(
    shared: &Shared,
    execution: &Execution,
    cancel: CancellationToken,
) -> Result<Ended, SandboxError> {
    let failed = |error: &dyn std::fmt::Display| SandboxError::Failed(error.to_string());
    let namespaces = shared.namespaces();
    let mut place = WorkspaceBinds::find(&execution.workspace, &execution.writable, namespaces)
        .map_err(|error| failed(&error))?;
    if let Some(beneath) = &execution.beneath {
        place.lay(beneath, namespaces).map_err(|error| failed(&error))?;
    }
    for folder in execution.watched.iter().chain([&execution.directory]) {
        real_folder(&place.host, folder).map_err(|error| failed(&error))?;
    }
    let ready =
        Ready::read(&PathBuf::from(&execution.environment.location)).map_err(|error| failed(&error))?;
    let scratch = Scratch::make(&shared.scratch, &scratch::name(&execution.run)).map_err(|error| {
        SandboxError::Failed(format!(
            "no private folder can be made below {}: {error}",
            shared.scratch.display()
        ))
    })?;
    let mut notes = Vec::new();
    let cgroup = Cgroup::make(
        &scratch.label,
        execution.limits.memory,
        execution.limits.processes,
    );
    notes.push(if cgroup.is_some() { GROUPED } else { MEASURED }.to_owned());
    if !namespaces {
        notes.push(LANDLOCK.to_owned());
    }
    let temporary = if namespaces {
        PathBuf::from("/tmp")
    } else {
        scratch.private()
    };
    let mut binds = ready.binds(&PathBuf::from(&execution.environment.location));
    let user = match &execution.beneath {
        Some(beneath) if shared.user(&scratch).is_some() => {
            Some(beneath.owner().map_err(|error| failed(&error))?)
        }
        _ => shared.user(&scratch),
    };
    if user.is_some() && !namespaces {
        let shown = binds.iter().map(|bind| bind.from.as_path());
        reachable(shown.chain([place.host.as_path(), &scratch.private()]))?;
    }
    binds.extend(place.binds);
    binds.extend(beside(execution));
    let policy = Policy {
        namespaces,
        network: network(execution, namespaces)?,
        command: execution.command.clone(),
        directory: execution.directory.below(&place.inside),
        variables: variables(
            ready.venv(&execution.environment.location).as_deref(),
            &temporary,
            &execution.variables,
        ),
        binds,
        private: scratch.private(),
        temporary: TEMPORARY.min(execution.limits.memory / 2).max(1 << 20),
        user,
        data: cgroup.is_none().then_some(execution.limits.memory),
        processes: cgroup
            .is_none()
            .then(|| shared.process_limit(execution.limits.processes)),
        file: execution.limits.file,
        cgroups: cgroup.as_ref().map(Cgroup::folders).unwrap_or_default(),
    };
    let written = place.writable.iter().map(PathBuf::as_path);
    let private = scratch.private();
    let disks = Disks::under(written.chain((!namespaces).then_some(private.as_path())));
    let sink = |path: &PathBuf| {
        File::create(path)
            .map(|file| Sink::File {
                file,
                cap: execution.limits.output,
            })
            .map_err(|error| SandboxError::Failed(format!("cannot write {}: {error}", path.display())))
    };
    let (stdout, stderr) = (sink(&execution.stdout)?, sink(&execution.stderr)?);
    let lent = user.map(|user| Lent::new(&place.host, &place.writable, &scratch, user));
    let recorder = if execution.watched.is_empty() {
        None
    } else {
        match Recorder::arm(&place.host, &execution.watched) {
            Ok(recorder) => Some(recorder),
            Err(error) => {
                notes.push(format!("Opened files were not recorded: {error}."));
                None
            }
        }
    };
    let watched_disks = disks.clone();
    let watched = watch(Watch {
        helper: shared.helper.clone(),
        policy,
        scratch: &scratch,
        stdout,
        stderr,
        total: Duration::from_secs(execution.limits.seconds),
        idle: None,
        tree: cgroup.is_none().then_some(TreeLimits {
            memory: execution.limits.memory,
            processes: execution.limits.processes,
        }),
        cgroup: cgroup.as_ref(),
        disks,
        recorder,
        cancel,
    });
    drop(lent);
    let is_full = watched
        .as_ref()
        .map_or(true, |watched| watched.stop == Some(ProcessStop::DiskFull));
    let full = is_full.then(|| watched_disks.filled_by_others()).flatten();
    if let Some(beneath) = &execution.beneath {
        beneath.clear();
    }
    if let Some(folder) = full {
        return Err(SandboxError::DiskFull(folder));
    }
    ended(watched.map_err(|error| failed(&error))?, cgroup.as_ref(), notes)
}

/// The network of an execution: none, or a loopback with one way out.
fn network(execution: &Execution, namespaces: bool) -> Result<PolicyNetwork, SandboxError> {
    match &execution.gateway {
        None => Ok(PolicyNetwork::None),
        Some(socket) if namespaces => Ok(PolicyNetwork::Gateway(socket.clone())),
        Some(_) => Err(SandboxError::Failed(NoOpenHosts::NoLoopback.to_string())),
    }
}

/// The folder that a command is given beside its workspace.
fn beside(execution: &Execution) -> Option<Bind> {
    execution.beside.as_ref().map(|folder| Bind {
        from: folder.clone(),
        to: PathBuf::from(BESIDE),
        writable: false,
        overlay: None,
    })
}

/// The loan of folders to a command, given back on every way out.
struct Lent(Option<Loan>);

impl Lent {
    fn new(workspace: &Path, writable: &[PathBuf], scratch: &Scratch, user: u32) -> Self {
        let mut writable = writable.to_vec();
        let loan = {
            writable.push(scratch.private());
            lend(workspace, &writable, user)
        };
        Self(Some(loan))
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        if let Some(loan) = self.0.take() {
            loan.give_back();
        }
    }
}

/// Under Landlock an unprivileged user walks the host's own folders.
fn reachable<'a>(paths: impl Iterator<Item = &'a Path>) -> Result<(), SandboxError> {
    for path in paths {
        if let Some(closed) = closed_above(path) {
            return Err(SandboxError::Failed(format!(
                "{} cannot be reached by the unprivileged user that code runs as, because {} is closed to \
                 others: run as a user other than root, keep the runs elsewhere, or `chmod o+x {}`",
                path.display(),
                closed.display(),
                closed.display()
            )));
        }
    }
    Ok(())
}

fn ended(watched: Watched, cgroup: Option<&Cgroup>, mut notes: Vec<String>) -> Result<Ended, SandboxError> {
    let starved = cgroup.map_or(0, Cgroup::killed) > 0;
    let ending = match (watched.stop, watched.report) {
        (Some(ProcessStop::TimedOut | ProcessStop::Idle), _) => Ending::TimedOut,
        (Some(ProcessStop::Cancelled), _) => Ending::Cancelled,
        (Some(ProcessStop::OutOfMemory), _) => Ending::OutOfMemory,
        (Some(ProcessStop::TooManyProcesses), _) => {
            notes.push("The command was ended because it had more processes than its limit.".to_owned());
            Ending::Signalled(9)
        }
        (Some(ProcessStop::DiskFull), _) => {
            notes.push(disk::ENDED.to_owned());
            Ending::Signalled(9)
        }
        (None, Report::Exited(0)) if starved => {
            notes.push("The kernel ended a process of the command for want of memory.".to_owned());
            Ending::Exited(0)
        }
        (None, Report::Exited(_) | Report::Signalled(_) | Report::Failed(_)) if starved => {
            Ending::OutOfMemory
        }
        (None, Report::Exited(code)) => Ending::Exited(code),
        (None, Report::Signalled(signal)) => Ending::Signalled(signal),
        (None, Report::NoProgram(name)) => return Err(SandboxError::NoProgram(name)),
        (None, Report::Failed(why)) => return Err(SandboxError::Failed(why)),
        (None, Report::Ready) => {
            return Err(SandboxError::Failed(
                "the helper ended before the command".to_owned(),
            ));
        }
    };
    Ok(Ended {
        ending,
        stdout_bytes: watched.stdout,
        stderr_bytes: watched.stderr,
        opened: watched.opened,
        wall: watched.wall,
        peak_memory: cgroup
            .and_then(Cgroup::peak)
            .or((watched.peak > 0).then_some(watched.peak)),
        notes,
    })
}
