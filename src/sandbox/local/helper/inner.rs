//! The inner stage: confines itself, then runs the command.

use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;

use nix::errno::Errno;
use nix::sys::prctl;
use nix::sys::signal::Signal;
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::Pid;

use super::fault::{Step as _, StepFailure};
use super::tell::tell;
use super::{landlock, launch, limits, outer, privileges, root, seccomp};
use crate::sandbox::local::policy::{Policy, Report};

/// Confines this process and runs the policy's command below it, or in its place.
pub fn run(control: &UnixStream) -> Result<(), StepFailure> {
    die_with_parent()?;
    // The outer stage answers only if it is still there, now that its end would be noticed.
    tell(control, &Report::Ready)?;
    let (_, policy) = outer::read_policy(control)?;
    nix::sys::stat::umask(nix::sys::stat::Mode::from_bits_truncate(0o022));
    if policy.namespaces {
        in_namespaces(control, &policy)
    } else {
        in_place(control, &policy)
    }
}

fn die_with_parent() -> Result<(), StepFailure> {
    prctl::set_pdeathsig(Signal::SIGKILL).step(|| "die with the outer helper".to_owned())
}

/// As the first process of a PID namespace: everything in it dies with this.
fn in_namespaces(control: &UnixStream, policy: &Policy) -> Result<(), StepFailure> {
    root::enter(policy)?;
    limits::set(policy)?;
    privileges::drop_all(policy.user)?;
    // A change of user clears it.
    die_with_parent()?;
    // Nobody in the sandbox may look into this process, which holds the control socket.
    prctl::set_dumpable(false).step(|| "close this process to others".to_owned())?;
    seccomp::install(policy.network.is_some(), false)?;
    let Some(mut command) = launch::command(policy) else {
        return tell(control, &Report::NoProgram(name(policy)));
    };
    let child = match command.spawn() {
        Ok(child) => Pid::from_raw(i32::try_from(child.id()).unwrap_or(i32::MAX)),
        Err(error) => return Err(StepFailure::new(format!("start {}", name(policy)), error)),
    };
    drop(command);
    loop {
        match waitpid(None, None) {
            Ok(WaitStatus::Exited(pid, code)) if pid == child => {
                return tell(control, &Report::Exited(code));
            }
            Ok(WaitStatus::Signaled(pid, signal, _)) if pid == child => {
                return tell(control, &Report::Signalled(signal as i32));
            }
            Ok(_) | Err(Errno::EINTR) => {}
            Err(errno) => return Err(StepFailure::new("wait for the command", errno)),
        }
    }
}

/// Without namespaces: this process becomes the command.
fn in_place(control: &UnixStream, policy: &Policy) -> Result<(), StepFailure> {
    nix::unistd::setsid().step(|| "start a session".to_owned())?;
    limits::set(policy)?;
    privileges::drop_all(policy.user)?;
    die_with_parent()?;
    landlock::restrict(policy)?;
    seccomp::install(policy.network.is_some(), true)?;
    let Some(mut command) = launch::command(policy) else {
        return tell(control, &Report::NoProgram(name(policy)));
    };
    Err(StepFailure::new(
        format!("start {}", name(policy)),
        command.exec(),
    ))
}

fn name(policy: &Policy) -> String {
    policy.command.first().cloned().unwrap_or_default()
}
