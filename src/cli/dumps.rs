//! Core dumps, which would put the keys that this process holds on a disk.

use nix::errno::Errno;
use nix::sys::resource::{Resource, getrlimit, setrlimit};

/// Switches them off for this process and whatever it starts.
///
/// A limit can always be lowered; what came of it is in [`standing`].
pub fn switch_off() {
    let _ = setrlimit(Resource::RLIMIT_CORE, 0, 0);
}

/// Core dumps that may hold keys.
#[derive(Debug, thiserror::Error)]
pub enum UnsafeDumps {
    #[error(
        "a crash may leave keys on a disk, as the limits of core dumps are {soft} and {hard} bytes and cannot be \
         lowered: start it behind `ulimit -c 0`"
    )]
    On { soft: u64, hard: u64 },
    #[error("the limit of core dumps cannot be read: {0}")]
    Unread(Errno),
}

/// The state of core dumps, in words.
///
/// # Errors
/// Dumps that are on, or a limit that cannot be read.
pub fn standing() -> Result<&'static str, UnsafeDumps> {
    match getrlimit(Resource::RLIMIT_CORE) {
        Ok((0, 0)) => Ok("off: a crash leaves no keys on a disk"),
        Ok((soft, hard)) => Err(UnsafeDumps::On { soft, hard }),
        Err(error) => Err(UnsafeDumps::Unread(error)),
    }
}
