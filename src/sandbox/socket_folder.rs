//! Folders for the sockets of a process, among other temporary files.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::PathBuf;
use std::time::Duration;

use nix::unistd::geteuid;
use tempfile::{Builder, TempDir};

/// The beginning of their names.
const PREFIX: &str = "reprise-socket-";
/// How long a folder may be without a socket while its process makes one.
const MAKING: Duration = Duration::from_secs(60);
/// The sockets that are bound on this machine.
const BOUND: &str = "/proc/net/unix";

/// Makes one that nobody else looks into; it goes with its value.
///
/// # Errors
/// A folder for temporary files that cannot be written.
pub fn make() -> io::Result<TempDir> {
    Builder::new()
        .prefix(PREFIX)
        .permissions(Permissions::from_mode(0o700))
        .tempdir()
}

/// Those of this user whose processes are gone, in order.
///
/// # Errors
/// A folder for temporary files or a list of sockets that cannot be read.
pub fn left() -> io::Result<Vec<PathBuf>> {
    let bound = String::from_utf8_lossy(&fs::read(BOUND)?).into_owned();
    let mut left = Vec::new();
    for entry in fs::read_dir(std::env::temp_dir())? {
        let entry = entry?;
        let is_one = entry.file_name().to_string_lossy().starts_with(PREFIX);
        let Some(found) = is_one.then(|| entry.metadata().ok()).flatten() else {
            continue;
        };
        let is_own = found.is_dir() && found.uid() == geteuid().as_raw();
        let is_new = found
            .modified()
            .is_ok_and(|made| made.elapsed().unwrap_or_default() < MAKING);
        let inside = entry.path().join("");
        let is_bound = bound
            .lines()
            .filter_map(|line| line.split_whitespace().nth(7))
            .any(|path| path.starts_with(&*inside.to_string_lossy()));
        let is_empty = || fs::read_dir(entry.path()).is_ok_and(|mut inside| inside.next().is_none());
        if is_own && !is_bound && !(is_new && is_empty()) {
            left.push(entry.path());
        }
    }
    left.sort();
    Ok(left)
}
