//! A lock of an environment as a file.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use crate::environment::lock::{EnvironmentLock, LARGEST};

use super::exit::Failure;

/// Reads a lock.
///
/// # Errors
/// A file that cannot be read, or that is no lock.
pub fn read(file: &Path) -> Result<EnvironmentLock, Failure> {
    let mut bytes = Vec::new();
    let opened = File::open(file).and_then(|opened| opened.take(LARGEST as u64 + 1).read_to_end(&mut bytes));
    opened.map_err(|error| Failure::usage(format!("{} cannot be read: {error}", file.display())))?;
    EnvironmentLock::parse(&bytes).map_err(|fault| Failure::usage(format!("{}: {fault}", file.display())))
}

/// Reads a lock that runs on this machine can be held to.
///
/// # Errors
/// What [`read`] refuses, and a lock of another platform.
pub fn of_this_machine(file: &Path) -> Result<EnvironmentLock, Failure> {
    if !file.exists() {
        return Err(Failure::usage(format!(
            "--lock {0}: there is no such file; `reprise env STUDY --lock {0}` makes a lock",
            file.display()
        )));
    }
    let lock = read(file)?;
    let here = EnvironmentLock::platform_here();
    if lock.platform != here {
        let platform: String = lock
            .platform
            .chars()
            .filter(|letter| !letter.is_control())
            .take(60)
            .collect();
        return Err(Failure::usage(format!(
            "--lock {}: its files are for {platform}, and this machine is {here}: make the lock here, with `reprise \
             env STUDY --lock FILE`",
            file.display()
        )));
    }
    Ok(lock)
}
