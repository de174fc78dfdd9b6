//! Limits that the kernel keeps per process.

use nix::sys::resource::{Resource, getrlimit, setrlimit};

use super::fault::{Step as _, StepFailure};
use crate::sandbox::local::policy::Policy;

/// Open files: enough for an analysis, few enough to be closed one by one.
const FILES: u64 = 4096;

/// Sets the limits of this process and its children.
///
/// `RLIMIT_DATA` and not `RLIMIT_AS`: numeric libraries reserve address space
/// they never use, and some spin for ever when the reservation fails.
pub fn set(policy: &Policy) -> Result<(), StepFailure> {
    lower(Resource::RLIMIT_CORE, 0)?;
    lower(Resource::RLIMIT_FSIZE, policy.file)?;
    lower(Resource::RLIMIT_NOFILE, FILES)?;
    lower(Resource::RLIMIT_MEMLOCK, 8 << 20)?;
    if let Some(data) = policy.data {
        lower(Resource::RLIMIT_DATA, data)?;
    }
    if let Some(processes) = policy.processes {
        lower(Resource::RLIMIT_NPROC, processes)?;
    }
    Ok(())
}

fn lower(resource: Resource, wanted: u64) -> Result<(), StepFailure> {
    let (_, hard) = getrlimit(resource).step(|| format!("read the limit {resource:?}"))?;
    let value = wanted.min(hard);
    setrlimit(resource, value, value).step(|| format!("set the limit {resource:?} to {value}"))
}
