//! The entry point of the re-executed binary.

use std::io;
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::process::ExitCode;

use super::tell::{INNER, tell};
use super::{inner, outer};
use crate::sandbox::local::policy::Report;

/// Runs the stage that the arguments name. Its own failures go to the control
/// socket as a report, never to the command's streams.
pub fn main() -> ExitCode {
    close_inherited();
    let Ok(control) = control() else {
        return ExitCode::from(2);
    };
    let stage = if std::env::args_os()
        .nth(2)
        .is_some_and(|argument| argument == INNER)
    {
        inner::run
    } else {
        outer::run
    };
    match stage(&control) {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => {
            let _ = tell(&control, &Report::Failed(fault.to_string()));
            ExitCode::from(2)
        }
    }
}

/// Closes whatever an operator's shell left open: a descriptor of a host folder
/// would lead out of every confinement made later.
fn close_inherited() {
    let Ok(entries) = std::fs::read_dir("/proc/self/fd") else {
        return;
    };
    let open: Vec<i32> = entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .collect();
    for descriptor in open.into_iter().filter(|descriptor| *descriptor > 2) {
        // The listing's own descriptor is closed already.
        let _ = nix::unistd::close(descriptor);
    }
}

/// The control socket, which arrives as standard input.
fn control() -> io::Result<UnixStream> {
    Ok(UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?))
}
