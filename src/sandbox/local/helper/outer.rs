//! The outer stage: makes the namespaces, starts the inner stage, ends the tree.

use std::io::{BufRead as _, BufReader, ErrorKind, Read as _, Write as _};
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;

use super::fault::{Step as _, StepFailure};
use super::namespaces;
use super::tell::{ARGUMENT, INNER, tell};
use crate::sandbox::local::policy::{Policy, Report};
use crate::sandbox::local::tree;

/// Longest policy line, in bytes.
const POLICY: u64 = 4 << 20;

/// Carries one command to its end and reports it once the whole tree is gone.
pub fn run(control: &UnixStream) -> Result<(), StepFailure> {
    let (line, policy) = read_policy(control)?;
    for group in &policy.cgroups {
        std::fs::write(group.join("cgroup.procs"), std::process::id().to_string())
            .step(|| format!("join the cgroup {}", group.display()))?;
    }
    if let Some(user) = policy.user {
        lend_streams(user);
    }
    if policy.namespaces {
        namespaces::enter(&policy)?;
    } else {
        nix::sys::prctl::set_child_subreaper(true).step(|| "adopt orphans".to_owned())?;
    }
    let (ours, theirs) = UnixStream::pair().step(|| "make a socket pair".to_owned())?;
    let mut child = Command::new("/proc/self/exe")
        .args([ARGUMENT, INNER])
        .env_clear()
        .stdin(Stdio::from(OwnedFd::from(theirs)))
        .spawn()
        .step(|| "start the inner helper".to_owned())?;
    let report = match converse(control, &ours, &line)? {
        Spoken::Report(report) => {
            finish(&mut child, &policy);
            report
        }
        Spoken::Nothing if policy.namespaces => lost(&mut child),
        Spoken::Nothing => await_command(control, &child)?,
        Spoken::Stop => {
            let _ = child.kill();
            finish(&mut child, &policy);
            Report::Signalled(9)
        }
    };
    if !policy.namespaces {
        tree::end_descendants(Duration::from_secs(60));
    }
    tell(control, &report)
}

/// Reads the policy, as text to pass on and as data.
pub(super) fn read_policy(control: &UnixStream) -> Result<(String, Policy), StepFailure> {
    let mut line = String::new();
    BufReader::new(control)
        .take(POLICY)
        .read_line(&mut line)
        .step(|| "read the policy".to_owned())?;
    let policy =
        serde_json::from_str(&line).map_err(|error| StepFailure::new("understand the policy", error))?;
    Ok((line, policy))
}

/// Lets the unprivileged user reopen its streams by name, as `/dev/stdout`.
fn lend_streams(user: u32) {
    for stream in [std::io::stdout().as_fd(), std::io::stderr().as_fd()] {
        let _ = nix::unistd::fchown(stream, Some(user.into()), Some(user.into()));
    }
}

/// The inner stage's last message before it closed its socket.
enum Spoken {
    Report(Report),
    Nothing,
    /// The engine asked to stop, or is gone.
    Stop,
}

fn converse(control: &UnixStream, mut inner: &UnixStream, policy: &str) -> Result<Spoken, StepFailure> {
    let mut text = Vec::new();
    let mut last = None;
    loop {
        let mut waiting = [
            PollFd::new(control.as_fd(), PollFlags::POLLIN),
            PollFd::new(inner.as_fd(), PollFlags::POLLIN),
        ];
        match poll(&mut waiting, PollTimeout::NONE) {
            Err(Errno::EINTR) => continue,
            other => other.step(|| "wait for the inner helper".to_owned())?,
        };
        if waiting[0].any() == Some(true) {
            return Ok(Spoken::Stop);
        }
        let mut piece = [0_u8; 4096];
        let read = match inner.read(&mut piece) {
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Ok(read) => read,
            Err(_) => 0,
        };
        if read == 0 {
            return Ok(last.map_or(Spoken::Nothing, Spoken::Report));
        }
        text.extend_from_slice(&piece[..read]);
        while let Some(end) = text.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = text.drain(..=end).collect();
            match serde_json::from_slice(&line) {
                Ok(Report::Ready) => {
                    inner
                        .write_all(policy.as_bytes())
                        .step(|| "pass the policy on".to_owned())?;
                }
                Ok(report) => last = Some(report),
                Err(error) => return Err(StepFailure::new("understand the inner helper", error)),
            }
        }
    }
}

/// Waits for the inner stage, and with it for every process of its namespace.
fn finish(child: &mut Child, policy: &Policy) {
    if policy.namespaces {
        let _ = child.wait();
    }
}

fn lost(child: &mut Child) -> Report {
    match child.wait() {
        Ok(status) => Report::Failed(format!(
            "the first process of the namespace ended early: {status}"
        )),
        Err(error) => Report::Failed(format!("the first process of the namespace is lost: {error}")),
    }
}

/// Under Landlock the inner stage has become the command: waits for it, and for
/// the engine's word, and reaps orphans meanwhile.
fn await_command(control: &UnixStream, child: &Child) -> Result<Report, StepFailure> {
    let command = Pid::from_raw(i32::try_from(child.id()).unwrap_or(i32::MAX));
    let begin = Instant::now();
    loop {
        match waitpid(None, Some(WaitPidFlag::WNOHANG)) {
            Ok(WaitStatus::Exited(pid, code)) if pid == command => return Ok(Report::Exited(code)),
            Ok(WaitStatus::Signaled(pid, signal, _)) if pid == command => {
                return Ok(Report::Signalled(signal as i32));
            }
            Ok(WaitStatus::StillAlive) => {}
            Ok(_) | Err(Errno::EINTR) => continue,
            Err(errno) => return Err(StepFailure::new("wait for the command", errno)),
        }
        // Nothing wakes a poll when a child ends, so the pause grows with the run.
        let pause = (begin.elapsed().as_millis() / 10).clamp(1, 20) as u16;
        let mut waiting = [PollFd::new(control.as_fd(), PollFlags::POLLIN)];
        match poll(&mut waiting, PollTimeout::from(pause)) {
            Ok(0) | Err(Errno::EINTR) => {}
            Ok(_) => return Ok(Report::Signalled(9)),
            Err(errno) => return Err(StepFailure::new("wait for the engine", errno)),
        }
    }
}
