//! Watching over one running container, to its end.

use std::collections::HashMap;
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use bollard::errors::Error;
use bollard::query_parameters::{
    EventsOptions, KillContainerOptions, StartContainerOptions, StatsOptions, WaitContainerOptions,
};
use futures::StreamExt as _;
use tokio_util::sync::CancellationToken;

use crate::sandbox::contract::{Execution, SandboxError};
use crate::sandbox::disk::Disks;
use crate::sandbox::docker::container::ending::{ContainerStop, lacks_program};
use crate::sandbox::docker::container::memory_cgroup::ControlGroup;
use crate::sandbox::docker::daemon::{Daemon, words};
use crate::sandbox::docker::facts::Engine;

/// Time between two looks at memory, which also tell that the daemon is there.
const LOOK: Duration = Duration::from_secs(1);
/// Time between two looks at the disk.
const SPACE: Duration = Duration::from_millis(100);
/// Time between two looks at a control group.
const GLANCE: Duration = Duration::from_millis(25);

/// A container that is dead.
#[derive(Debug, Clone, Copy)]
pub struct ContainerEnd {
    pub stop: Option<ContainerStop>,
    pub code: i64,
    pub wall: Duration,
    /// Whether the kernel was seen to end a process for want of memory.
    pub starved: bool,
    /// Highest memory seen, in bytes; 0 where none was.
    pub peak: u64,
}

/// Starts a container that was made and sees it to its end.
///
/// # Errors
/// Where the program is missing, or the daemon is lost: then the container may still run.
pub async fn supervise(
    daemon: &Daemon,
    name: &str,
    execution: &Execution,
    disks: &Disks,
    cancel: &CancellationToken,
) -> Result<ContainerEnd, SandboxError> {
    start(daemon, name, execution).await?;
    // Monotonic: a clock that is set moves no deadline.
    let begin = Instant::now();
    let deadline = tokio::time::sleep(Duration::from_secs(execution.limits.seconds));
    let group = ControlGroup::find(daemon, name).await;
    let peak = AtomicU64::new(0);
    let (mut exit, mut starved, mut pulse) = (
        pin!(exit_code(daemon, name)),
        pin!(starved(daemon, name, group.as_ref())),
        pin!(pulse(daemon, name, &peak)),
    );
    let stop = tokio::select! {
        biased;
        code = &mut exit => {
            let starved = group.as_ref().and_then(ControlGroup::killed).unwrap_or(false);
            return Ok(ContainerEnd {
                stop: None,
                code: code?,
                wall: begin.elapsed(),
                starved,
                peak: peak.load(Ordering::Relaxed),
            });
        }
        () = cancel.cancelled() => ContainerStop::Cancelled,
        () = &mut starved => ContainerStop::OutOfMemory,
        () = nearly_full(disks) => ContainerStop::DiskFull,
        () = deadline => ContainerStop::TimedOut,
        why = &mut pulse => return Err(lost(&why)),
    };
    kill(daemon, name).await;
    let code = tokio::time::timeout(daemon.silence, exit).await.map_err(|_| {
        lost(&format!(
            "a container that was killed did not end within {} seconds",
            daemon.silence.as_secs()
        ))
    })??;
    Ok(ContainerEnd {
        stop: Some(stop),
        code,
        wall: begin.elapsed(),
        starved: stop == ContainerStop::OutOfMemory,
        peak: peak.load(Ordering::Relaxed),
    })
}

async fn start(daemon: &Daemon, name: &str, execution: &Execution) -> Result<(), SandboxError> {
    let started = daemon.client.start_container(name, None::<StartContainerOptions>);
    daemon
        .within(started)
        .await
        .map_err(|error| not_started(&error, execution))
}

/// Why a container did not start, with a missing program told apart.
pub fn not_started(error: &Error, execution: &Execution) -> SandboxError {
    let said = words(error);
    match error {
        Error::DockerResponseServerError { .. } if lacks_program(&said) => {
            SandboxError::NoProgram(execution.command.first().cloned().unwrap_or_default())
        }
        Error::DockerResponseServerError { .. } => {
            SandboxError::Failed(format!("the container could not be started: {said}"))
        }
        _ => lost(&said),
    }
}

pub fn lost(why: &str) -> SandboxError {
    SandboxError::Failed(format!(
        "the daemon was lost during an execution: {why}; start it again, then `reprise resume`"
    ))
}

/// Waits for the container's end and returns its code.
async fn exit_code(daemon: &Daemon, name: &str) -> Result<i64, SandboxError> {
    loop {
        let options = WaitContainerOptions {
            condition: "not-running".to_owned(),
        };
        let mut answers = pin!(daemon.client.wait_container(name, Some(options)));
        match answers.next().await {
            Some(Ok(answer)) => return Ok(answer.status_code),
            // How the client tells of any code but 0.
            Some(Err(Error::DockerContainerWaitError { code, .. })) => return Ok(code),
            // The daemon had nothing to say for as long as a request may take.
            Some(Err(Error::RequestTimeoutError)) => {}
            Some(Err(error)) => return Err(lost(&words(&error))),
            None => return Err(lost("it closed the connection")),
        }
    }
}

/// Ends when the kernel has ended a process of the container for want of
/// memory. Those that wait for that process would wait for ever.
async fn starved(daemon: &Daemon, name: &str, group: Option<&ControlGroup>) {
    if daemon.describe().engine == Engine::Docker {
        let filter = |key: &str, value: &str| (key.to_owned(), vec![value.to_owned()]);
        let options = EventsOptions {
            // Everything the daemon remembers of this container: nothing is missed between start and here.
            since: Some("1".to_owned()),
            until: None,
            filters: Some(HashMap::from([filter("container", name), filter("event", "oom")])),
        };
        let mut events = pin!(daemon.client.events(Some(options)));
        if let Some(Ok(_)) = events.next().await {
            return;
        }
    }
    while let Some(killed) = group.and_then(ControlGroup::killed) {
        if killed {
            return;
        }
        tokio::time::sleep(GLANCE).await;
    }
    // A broken connection shows elsewhere.
    std::future::pending().await
}

/// Ends when a disk that the command writes to has little left.
async fn nearly_full(disks: &Disks) {
    while !disks.nearly_full() {
        tokio::time::sleep(SPACE).await;
    }
}

/// Reads the container's memory again and again; ends when the daemon does not answer.
async fn pulse(daemon: &Daemon, name: &str, peak: &AtomicU64) -> String {
    loop {
        let options = StatsOptions {
            stream: false,
            one_shot: true,
        };
        let mut stats = pin!(daemon.client.stats(name, Some(options)));
        match tokio::time::timeout(daemon.silence, stats.next()).await {
            Err(_) => return format!("it did not answer for {} seconds", daemon.silence.as_secs()),
            Ok(Some(Ok(stats))) => {
                if let Some(memory) = stats.memory_stats {
                    let seen = memory.max_usage.unwrap_or(0).max(memory.usage.unwrap_or(0));
                    peak.fetch_max(seen, Ordering::Relaxed);
                }
            }
            // A broken connection shows where the end is waited for.
            Ok(_) => {}
        }
        tokio::time::sleep(LOOK).await;
    }
}

async fn kill(daemon: &Daemon, name: &str) {
    let options = KillContainerOptions {
        signal: "SIGKILL".to_owned(),
    };
    // One that has ended by itself cannot be killed; one that does not end is noticed by waiting.
    let _ = tokio::time::timeout(daemon.silence, daemon.client.kill_container(name, Some(options))).await;
}
