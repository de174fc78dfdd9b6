//! Entering fresh namespaces.

use std::fs;

use caps::{CapSet, Capability};
use nix::sched::{CloneFlags, unshare};
use nix::unistd::{getegid, geteuid};

use super::fault::{Step as _, StepFailure};
use super::relay;
use crate::sandbox::contract::GATEWAY_PORT;
use crate::sandbox::local::policy::{Policy, PolicyNetwork};

/// Leaves the host's namespaces; children will be in a fresh PID namespace. A
/// user without the right to do so gets a user namespace of its own first.
///
/// The network comes before the files: what serves the way to the proxy still sees the host's.
pub fn enter(policy: &Policy) -> Result<(), StepFailure> {
    let (user, group) = (geteuid(), getegid());
    if user.is_root() {
        unshare(CloneFlags::CLONE_NEWNET).step(|| "leave the host's network".to_owned())?;
    } else {
        unshare(CloneFlags::CLONE_NEWNET | CloneFlags::CLONE_NEWUSER)
            .step(|| "make a user namespace".to_owned())?;
        map("setgroups", "deny")?;
        map("uid_map", &format!("{user} {user} 1"))?;
        map("gid_map", &format!("{group} {group} 1"))?;
        keep_capabilities(policy)?;
    }
    match &policy.network {
        PolicyNetwork::Proxy(socket) => relay::open(socket, relay::PORT)?,
        PolicyNetwork::Gateway(socket) => relay::open(socket, GATEWAY_PORT)?,
        PolicyNetwork::None | PolicyNetwork::Host => {}
    }
    let rest = CloneFlags::CLONE_NEWNS
        | CloneFlags::CLONE_NEWPID
        | CloneFlags::CLONE_NEWIPC
        | CloneFlags::CLONE_NEWUTS;
    unshare(rest).step(|| "leave the host's namespaces".to_owned())?;
    nix::unistd::sethostname("sandbox").step(|| "name the host".to_owned())
}

fn map(file: &str, text: &str) -> Result<(), StepFailure> {
    fs::write(format!("/proc/self/{file}"), text).step(|| format!("write /proc/self/{file}"))
}

/// A user other than 0 loses its capabilities when it executes a program; the
/// inner stage still needs two of them to mount and to drop the rest, and an overlay
/// a third, since the kernel closes the folder of its own to everybody.
fn keep_capabilities(policy: &Policy) -> Result<(), StepFailure> {
    let mut kept = vec![Capability::CAP_SYS_ADMIN, Capability::CAP_SETPCAP];
    if policy.binds.iter().any(|bind| bind.overlay.is_some()) {
        kept.push(Capability::CAP_DAC_OVERRIDE);
    }
    for capability in kept {
        for set in [CapSet::Inheritable, CapSet::Ambient] {
            caps::raise(None, set, capability)
                .map_err(|error| StepFailure::new(format!("keep {capability}"), error))?;
        }
    }
    Ok(())
}
