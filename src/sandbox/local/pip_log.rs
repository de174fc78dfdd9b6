//! pip's detailed log, which tells what pip does not print.

use std::fs;
use std::io::Read as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use crate::sandbox::failure::is_network;

/// The log, in the temporary folder of a step.
pub const NAME: &str = "pip.log";
/// Bytes of it that are read.
const DETAILS: u64 = 8 << 20;

/// Lines of pip's detailed log that tell of an index out of reach, which it does
/// not print. The file may have been written by a package's own code.
pub fn unreached(temporary: &Path) -> Vec<String> {
    let mut text = Vec::new();
    let read = fs::OpenOptions::new()
        .read(true)
        .custom_flags(nix::libc::O_NOFOLLOW | nix::libc::O_NONBLOCK)
        .open(temporary.join(NAME))
        .and_then(|file| file.take(DETAILS).read_to_end(&mut text));
    if read.is_err() {
        return Vec::new();
    }
    String::from_utf8_lossy(&text)
        .lines()
        .filter(|line| line.contains("Could not fetch URL") && is_network(line))
        .take(3)
        .map(|line| line.chars().take(500).collect())
        .collect()
}
