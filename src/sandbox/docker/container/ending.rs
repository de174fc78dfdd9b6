//! From the state of a dead container to how its command ended.

use crate::domain::execution::Ending;
use crate::sandbox::disk;

/// The reason for which the engine ended a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContainerStop {
    TimedOut,
    OutOfMemory,
    DiskFull,
    Cancelled,
}

/// What a container's exit code says.
///
/// The init process, and without one the runtime, reports the end by signal N
/// as 128 + N, as shells do. A command that exits with such a code of its own
/// accord cannot be told from it.
fn by_code(code: i64) -> Ending {
    match code {
        129..=192 => Ending::Signalled(i32::try_from(code - 128).unwrap_or(9)),
        code => Ending::Exited(i32::try_from(code).unwrap_or(i32::MAX)),
    }
}

/// How a command ended, with a note where the code does not tell all.
pub fn ending(stop: Option<ContainerStop>, code: i64, starved: bool) -> (Ending, Option<String>) {
    match stop {
        // Where the daemon tells only at the end, those that waited for a
        // process that the kernel had ended waited until the limit.
        Some(ContainerStop::TimedOut) if starved => (Ending::OutOfMemory, None),
        Some(ContainerStop::TimedOut) => (Ending::TimedOut, None),
        Some(ContainerStop::Cancelled) => (Ending::Cancelled, None),
        Some(ContainerStop::OutOfMemory) => (Ending::OutOfMemory, None),
        Some(ContainerStop::DiskFull) => (Ending::Signalled(9), Some(disk::ENDED.to_owned())),
        None if starved && code == 0 => (
            Ending::Exited(0),
            Some("The kernel ended a process of the command for want of memory.".to_owned()),
        ),
        None if starved => (Ending::OutOfMemory, None),
        None => (by_code(code), None),
    }
}

/// The program that could not be found, as the init processes of Docker and
/// Podman say it.
pub fn no_program(code: i64, stdout_bytes: u64, stderr: &[u8]) -> bool {
    let text = String::from_utf8_lossy(stderr);
    let text = text.trim();
    let said = code == 127 && text.starts_with("[FATAL tini (")
        || code == 1 && text.starts_with("ERROR (catatonit:") && text.contains("failed to exec");
    said && stdout_bytes == 0 && text.lines().count() == 1 && text.ends_with("No such file or directory")
}

/// Whether a container did not start for want of its program, in the words of
/// the runtimes (runc, crun), where no init process stands between.
pub fn lacks_program(message: &str) -> bool {
    let text = message.to_ascii_lowercase();
    text.contains("executable file")
        && (text.contains("not found") || text.contains("no such file or directory"))
        || text.contains("exec: \"")
            && text.contains("\": stat ")
            && text.contains("no such file or directory")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_end_is_told_apart() {
        for (stop, code, starved, expected) in [
            (None, 0, false, Ending::Exited(0)),
            (None, 3, false, Ending::Exited(3)),
            (None, 255, false, Ending::Exited(255)),
            (None, 137, false, Ending::Signalled(9)),
            (None, 139, false, Ending::Signalled(11)),
            (None, 137, true, Ending::OutOfMemory),
            (None, 1, true, Ending::OutOfMemory),
            (Some(ContainerStop::TimedOut), 137, false, Ending::TimedOut),
            (Some(ContainerStop::TimedOut), 137, true, Ending::OutOfMemory),
            (Some(ContainerStop::Cancelled), 137, false, Ending::Cancelled),
            (Some(ContainerStop::OutOfMemory), 137, false, Ending::OutOfMemory),
            (Some(ContainerStop::DiskFull), 137, false, Ending::Signalled(9)),
        ] {
            assert_eq!(
                ending(stop, code, starved).0,
                expected,
                "{stop:?} {code} {starved}"
            );
        }
        let (survived, note) = ending(None, 0, true);
        assert_eq!(survived, Ending::Exited(0));
        assert!(note.unwrap().contains("want of memory"));
    }

    #[test]
    fn a_missing_program_is_not_a_program_that_says_so() {
        let tini = b"[FATAL tini (7)] exec nowhere failed: No such file or directory\n";
        assert!(no_program(127, 0, tini));
        let catatonit = b"ERROR (catatonit:2): failed to exec pid1: No such file or directory\n";
        assert!(no_program(1, 0, catatonit));
        assert!(!no_program(127, 12, tini));
        assert!(!no_program(1, 0, tini));
        assert!(!no_program(127, 0, b"sh: 1: nowhere: not found\n"));
        assert!(!no_program(127, 0, b""));
    }

    #[test]
    fn runtimes_tell_of_a_missing_program_in_words_of_their_own() {
        for message in [
            "runc create failed: unable to start container process: exec: \"nowhere\": executable file not found in $PATH",
            "crun: executable file `nowhere` not found in $PATH: No such file or directory",
            "runc create failed: unable to start container process: exec: \"/x/y\": stat /x/y: no such file or directory",
        ] {
            assert!(lacks_program(message), "{message}");
        }
        assert!(!lacks_program(
            "error mounting \"/x\": stat /x: no such file or directory"
        ));
    }
}
