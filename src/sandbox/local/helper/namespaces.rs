//! Entering fresh namespaces.

use std::fs;

use caps::{CapSet, Capability};
use nix::sched::{CloneFlags, unshare};
use nix::unistd::{getegid, geteuid};

use super::fault::{Step as _, StepFailure};

/// Leaves the host's namespaces; children will be in a fresh PID namespace. A
/// user without the right to do so gets a user namespace of its own first.
pub fn enter(network: bool) -> Result<(), StepFailure> {
    let mut flags = CloneFlags::CLONE_NEWNS
        | CloneFlags::CLONE_NEWPID
        | CloneFlags::CLONE_NEWIPC
        | CloneFlags::CLONE_NEWUTS;
    if !network {
        flags |= CloneFlags::CLONE_NEWNET;
    }
    let (user, group) = (geteuid(), getegid());
    if user.is_root() {
        unshare(flags).step(|| "leave the host's namespaces".to_owned())?;
    } else {
        unshare(flags | CloneFlags::CLONE_NEWUSER).step(|| "make a user namespace".to_owned())?;
        map("setgroups", "deny")?;
        map("uid_map", &format!("{user} {user} 1"))?;
        map("gid_map", &format!("{group} {group} 1"))?;
        keep_capabilities()?;
    }
    nix::unistd::sethostname("sandbox").step(|| "name the host".to_owned())
}

fn map(file: &str, text: &str) -> Result<(), StepFailure> {
    fs::write(format!("/proc/self/{file}"), text).step(|| format!("write /proc/self/{file}"))
}

/// A user other than 0 loses its capabilities when it executes a program; the
/// inner stage still needs two of them to mount and to drop the rest.
fn keep_capabilities() -> Result<(), StepFailure> {
    for capability in [Capability::CAP_SYS_ADMIN, Capability::CAP_SETPCAP] {
        for set in [CapSet::Inheritable, CapSet::Ambient] {
            caps::raise(None, set, capability)
                .map_err(|error| StepFailure::new(format!("keep {capability}"), error))?;
        }
    }
    Ok(())
}
