//! The symbolic links of an archive, which are made when everything else stands.
//!
//! No file is written through a link then, and what a link leads to is known.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::{self, ErrorKind};
use std::os::unix::ffi::OsStrExt as _;

use cap_std::fs::Dir;

use super::entry_path::{EntryPath, parts};
use super::left_out::LeftOutReason;

/// Most bytes of the path that a link holds, as Linux has it.
const LONGEST: usize = 4_095;

/// Links with the path that each holds.
pub(super) type Links = BTreeMap<EntryPath, Vec<u8>>;

/// Links that were made, and those that were not.
#[derive(Debug, Default)]
pub(super) struct MadeLinks {
    pub kept: Links,
    pub left_out: BTreeMap<EntryPath, LeftOutReason>,
}

/// Makes the links below `root` that lead to something below it.
///
/// # Errors
/// A link that cannot be made or taken away.
pub(super) fn make(root: &Dir, links: Links) -> io::Result<MadeLinks> {
    let mut made = MadeLinks::default();
    for (path, target) in links {
        match fault(&path, &target) {
            Some(reason) => {
                made.left_out.insert(path, reason);
            }
            None => {
                root.symlink(OsStr::from_bytes(&target), path.as_path())?;
                made.kept.insert(path, target);
            }
        }
    }
    // A link may lead through another that is taken away. Linux follows 40 in a row, so that this
    // ends after as many rounds.
    loop {
        let dead: Vec<_> = made
            .kept
            .keys()
            .filter_map(|path| Some((path.clone(), leads_nowhere(root, path)?)))
            .collect();
        if dead.is_empty() {
            return Ok(made);
        }
        for (path, reason) in dead {
            root.remove_file(path.as_path())?;
            made.kept.remove(&path);
            made.left_out.insert(path, reason);
        }
    }
}

/// The reason for which a link is not even made.
fn fault(path: &EntryPath, target: &[u8]) -> Option<LeftOutReason> {
    if target.is_empty() || target.contains(&0) || target.len() > LONGEST {
        return Some(LeftOutReason::LinkToNothing);
    }
    if target.starts_with(b"/") {
        return Some(LeftOutReason::LinkLeadsOut);
    }
    let mut depth = parts(path.bytes()).count() - 1;
    for part in parts(target) {
        if part == b".." {
            match depth.checked_sub(1) {
                Some(above) => depth = above,
                None => return Some(LeftOutReason::LinkLeadsOut),
            }
        } else {
            depth += 1;
        }
    }
    None
}

/// The reason for which a link that was made is taken away.
fn leads_nowhere(root: &Dir, path: &EntryPath) -> Option<LeftOutReason> {
    match root.metadata(path.as_path()) {
        Ok(_) => None,
        // The handle itself says so without a number of the system.
        Err(error) if error.kind() == ErrorKind::PermissionDenied && error.raw_os_error().is_none() => {
            Some(LeftOutReason::LinkLeadsOut)
        }
        Err(_) => Some(LeftOutReason::LinkToNothing),
    }
}
