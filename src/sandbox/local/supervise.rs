//! Watching over one confined command from outside.

use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use tokio_util::sync::CancellationToken;

use super::cgroup::Cgroup;
use super::helper::tell::ARGUMENT;
use super::output::{Flow, Sink, pump};
use super::policy::{Policy, Report};
use super::scratch::Scratch;
use super::tree;
use crate::domain::execution::Opened;
use crate::sandbox::disk::Disks;
use crate::sandbox::opened::Recorder;

/// Longest time between two looks at the clock and at cancellation.
const LOOK: Duration = Duration::from_millis(25);
/// Time between two looks at the tree's memory.
const MEASURE: Duration = Duration::from_millis(100);
/// How long the helper may take to end a tree that is to end.
const PATIENCE: Duration = Duration::from_secs(60);

/// The limits of a process tree.
#[derive(Debug, Clone, Copy)]
pub struct TreeLimits {
    /// In bytes.
    pub memory: u64,
    pub processes: u64,
}

/// One command and how to watch it.
pub struct Watch<'a> {
    pub helper: PathBuf,
    pub policy: Policy,
    pub scratch: &'a Scratch,
    pub stdout: Sink,
    pub stderr: Sink,
    pub total: Duration,
    /// Longest time without output, where that means that nothing happens.
    pub idle: Option<Duration>,
    /// The limits of the tree, where no cgroup counts it.
    pub tree: Option<TreeLimits>,
    /// The cgroup of the tree, which tells when memory ran out.
    pub cgroup: Option<&'a Cgroup>,
    /// What the command can write to.
    pub disks: Disks,
    pub recorder: Option<Recorder>,
    pub cancel: CancellationToken,
}

/// The reason for which the engine ended a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProcessStop {
    TimedOut,
    Idle,
    OutOfMemory,
    TooManyProcesses,
    DiskFull,
    Cancelled,
}

/// The outcome of a watched command.
#[derive(Debug)]
pub struct Watched {
    pub report: Report,
    pub stop: Option<ProcessStop>,
    pub stdout: u64,
    pub stderr: u64,
    pub opened: Opened,
    /// Highest memory measured, in bytes.
    pub peak: u64,
    pub wall: Duration,
}

/// The error of a command that could not be watched to its end.
#[derive(Debug, thiserror::Error)]
pub enum WatchError {
    #[error("cannot make a socket: {0}")]
    Socket(io::Error),
    #[error("cannot start the helper {}: {error}", helper.display())]
    Start { helper: PathBuf, error: io::Error },
    #[error("the helper has no output")]
    NoOutput,
    #[error("the helper is lost: {0}")]
    Lost(#[from] io::Error),
    #[error("the helper is lost: {0}")]
    Policy(#[from] serde_json::Error),
    #[error("cannot wait for the helper: {0}")]
    Waiting(Errno),
    #[error("an output thread broke")]
    Thread,
    #[error("cannot keep the output: {0}")]
    Output(io::Error),
}

/// Runs a command to its end. Blocks; at its return the whole tree is gone.
///
/// # Errors
/// A helper that does not start or is lost, or output that cannot be kept.
pub fn watch(mut watch: Watch<'_>) -> Result<Watched, WatchError> {
    let begin = Instant::now();
    let (control, theirs) = UnixStream::pair().map_err(WatchError::Socket)?;
    let mut child = Command::new(&watch.helper)
        .arg(ARGUMENT)
        .env_clear()
        .stdin(Stdio::from(OwnedFd::from(theirs)))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| WatchError::Start {
            helper: watch.helper.clone(),
            error,
        })?;
    let flow = Arc::new(Flow::default());
    let result = converse(&mut watch, &mut child, control, &flow, begin);
    if result.is_err() {
        let _ = child.kill();
        let _ = child.wait();
    }
    flow.over.store(true, Ordering::Relaxed);
    result
}

fn converse(
    watch: &mut Watch<'_>,
    child: &mut Child,
    mut control: UnixStream,
    flow: &Arc<Flow>,
    begin: Instant,
) -> Result<Watched, WatchError> {
    let (Some(stdout), Some(stderr)) = (child.stdout.take(), child.stderr.take()) else {
        return Err(WatchError::NoOutput);
    };
    let (out, err) = (take(&mut watch.stdout), take(&mut watch.stderr));
    let stdout = pump(stdout, out, Arc::clone(flow))?;
    let stderr = pump(stderr, err, Arc::clone(flow))?;
    watch.scratch.note_helper(child.id())?;
    let mut line = serde_json::to_vec(&watch.policy)?;
    line.push(b'\n');
    control.write_all(&line)?;

    let mut state = State {
        begin,
        measured: begin,
        moved: (0, begin),
        peak: 0,
        stop: None,
        stopped: begin,
    };
    let mut said = Vec::new();
    loop {
        let ended = hear(&mut control, watch.recorder.as_mut(), &mut said)?;
        if ended {
            break;
        }
        if state.stop.is_some() {
            if state.stopped.elapsed() > PATIENCE {
                let _ = child.kill();
            }
        } else if let Some(stop) = state.look(watch, child.id(), flow) {
            state.stop = Some(stop);
            state.stopped = Instant::now();
            // The helper ends the tree when the engine's side closes.
            let _ = control.shutdown(std::net::Shutdown::Write);
        }
    }
    let status = child.wait()?;
    let wall = begin.elapsed();
    let report = match serde_json::from_slice(&said) {
        Ok(report) => report,
        Err(_) if state.stop.is_some() => Report::Signalled(9),
        Err(_) => Report::Failed(format!("the helper ended without a report: {status}")),
    };
    flow.over.store(true, Ordering::Relaxed);
    let counted = |stream: std::thread::JoinHandle<std::io::Result<u64>>| {
        stream
            .join()
            .map_err(|_| WatchError::Thread)?
            .map_err(WatchError::Output)
    };
    Ok(Watched {
        report,
        stop: state.stop,
        stdout: counted(stdout)?,
        stderr: counted(stderr)?,
        opened: watch.recorder.take().map(Recorder::finish).unwrap_or_default(),
        peak: state.peak,
        wall,
    })
}

fn take(sink: &mut Sink) -> Sink {
    let (nowhere, _) = tokio::sync::mpsc::channel(1);
    std::mem::replace(sink, Sink::Lines(nowhere))
}

/// Waits a moment for the helper or for an opened file; true at the helper's end.
fn hear(
    control: &mut UnixStream,
    mut recorder: Option<&mut Recorder>,
    said: &mut Vec<u8>,
) -> Result<bool, WatchError> {
    let mut waiting = vec![PollFd::new(control.as_fd(), PollFlags::POLLIN)];
    if let Some(recorder) = &recorder {
        waiting.push(PollFd::new(recorder.as_fd(), PollFlags::POLLIN));
    }
    match poll(
        &mut waiting,
        PollTimeout::try_from(LOOK).unwrap_or(PollTimeout::ZERO),
    ) {
        Ok(0) | Err(Errno::EINTR) => return Ok(false),
        Ok(_) => {}
        Err(errno) => return Err(WatchError::Waiting(errno)),
    }
    let spoke = waiting[0].any() == Some(true);
    let opened = waiting.get(1).and_then(PollFd::any) == Some(true);
    drop(waiting);
    if opened && let Some(recorder) = &mut recorder {
        recorder.drain();
    }
    if !spoke {
        return Ok(false);
    }
    let mut piece = [0_u8; 4096];
    match control.read(&mut piece) {
        Ok(0) => Ok(true),
        Ok(read) => {
            said.extend_from_slice(&piece[..read]);
            Ok(false)
        }
        Err(error) if error.kind() == std::io::ErrorKind::Interrupted => Ok(false),
        // A helper that was killed with a line unread resets the socket.
        Err(_) => Ok(true),
    }
}

struct State {
    begin: Instant,
    measured: Instant,
    moved: (u64, Instant),
    peak: u64,
    stop: Option<ProcessStop>,
    stopped: Instant,
}

impl State {
    fn look(&mut self, watch: &Watch<'_>, helper: u32, flow: &Flow) -> Option<ProcessStop> {
        if watch.cancel.is_cancelled() {
            return Some(ProcessStop::Cancelled);
        }
        if self.begin.elapsed() >= watch.total {
            return Some(ProcessStop::TimedOut);
        }
        let seen = flow.seen.load(Ordering::Relaxed);
        if seen != self.moved.0 {
            self.moved = (seen, Instant::now());
        } else if watch.idle.is_some_and(|idle| self.moved.1.elapsed() >= idle) {
            return Some(ProcessStop::Idle);
        }
        if self.measured.elapsed() < MEASURE {
            return None;
        }
        self.measured = Instant::now();
        // The kernel ends one process only, and those that wait for it would wait for ever.
        if watch.cgroup.is_some_and(|cgroup| cgroup.killed() > 0) {
            return Some(ProcessStop::OutOfMemory);
        }
        if watch.disks.nearly_full() {
            return Some(ProcessStop::DiskFull);
        }
        let TreeLimits { memory, processes } = watch.tree?;
        let below = tree::descendants(i32::try_from(helper).unwrap_or(i32::MAX));
        let used = tree::memory(&below, memory);
        self.peak = self.peak.max(used);
        if used > memory {
            Some(ProcessStop::OutOfMemory)
        } else if below.len() as u64 > processes.saturating_add(1) {
            Some(ProcessStop::TooManyProcesses)
        } else {
            None
        }
    }
}
