//! Giving every privilege away, for good.

use caps::CapSet;
use nix::unistd::{Gid, Uid, setgroups, setresgid, setresuid};

use super::fault::{Step as _, StepFailure};

/// Becomes `user` where one is named, and drops every capability, the bounding
/// set included, and the way back.
pub fn drop_all(user: Option<u32>) -> Result<(), StepFailure> {
    let fault = |error| StepFailure::new("drop capabilities", error);
    caps::clear(None, CapSet::Ambient).map_err(fault)?;
    let may = caps::has_cap(None, CapSet::Effective, caps::Capability::CAP_SETPCAP).map_err(fault)?;
    if may {
        for capability in caps::read(None, CapSet::Bounding).map_err(fault)? {
            caps::drop(None, CapSet::Bounding, capability).map_err(fault)?;
        }
    }
    if let Some(user) = user {
        let (user, group) = (Uid::from_raw(user), Gid::from_raw(user));
        setgroups(&[]).step(|| "leave every group".to_owned())?;
        setresgid(group, group, group).step(|| format!("become the group {group}"))?;
        setresuid(user, user, user).step(|| format!("become the user {user}"))?;
    }
    for set in [CapSet::Effective, CapSet::Permitted, CapSet::Inheritable] {
        caps::clear(None, set).map_err(fault)?;
    }
    nix::sys::prctl::set_no_new_privs().step(|| "refuse new privileges".to_owned())
}
