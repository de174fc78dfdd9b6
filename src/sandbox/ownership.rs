//! Lending a workspace to the unprivileged user that a root engine runs code as.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};

use nix::fcntl::{AT_FDCWD, AtFlags};
use nix::unistd::{Gid, Uid, fchownat, getegid, geteuid};
use walkdir::WalkDir;

/// Users that nobody else has: the range that systemd gives to services for
/// as long as they run.
pub const USERS: std::ops::Range<u32> = 61_184..65_520;

/// The user of programs of ours that install packages, and the owner of their cache: no
/// execution runs as it.
pub const INSTALLER: u32 = USERS.end - 1;

/// Whether a user is one that confined code runs as.
pub fn is_ours(user: u32) -> bool {
    USERS.contains(&user)
}

/// A user for confined code that no other execution of this process has. Where they begin is random: processes of
/// several containers may have the same number and share the users of the machine.
pub fn next_user() -> u32 {
    static NEXT: LazyLock<AtomicU32> = LazyLock::new(|| AtomicU32::new(rand::random()));
    USERS.start + NEXT.fetch_add(1, Ordering::Relaxed) % (INSTALLER - USERS.start)
}

/// A loan of files, to be given back.
#[derive(Debug)]
pub struct Loan {
    writable: Vec<PathBuf>,
    hidden: Vec<(PathBuf, u32, u32)>,
}

/// Makes `user` the owner of everything in `writable`, and of what it could not
/// read otherwise in `readable`, which no mount or rule lets it write.
pub fn lend(readable: &Path, writable: &[PathBuf], user: u32) -> Loan {
    let mut hidden = Vec::new();
    let (caller, group) = (geteuid().as_raw(), getegid().as_raw());
    let rest = WalkDir::new(readable)
        .follow_links(false)
        .into_iter()
        .filter_entry(|entry| !writable.iter().any(|folder| folder == entry.path()));
    for entry in rest.flatten() {
        let Ok(found) = entry.metadata() else { continue };
        let needed = if found.is_dir() { 0o005 } else { 0o004 };
        if found.is_symlink() || found.mode() & needed == needed && !is_ours(found.uid()) {
            continue;
        }
        // An owner out of our range is one that an interrupted execution left.
        let before = if is_ours(found.uid()) {
            (caller, group)
        } else {
            (found.uid(), found.gid())
        };
        own(entry.path(), user, user);
        hidden.push((entry.into_path(), before.0, before.1));
    }
    for folder in writable {
        own_all(folder, user, user);
    }
    Loan {
        writable: writable.to_vec(),
        hidden,
    }
}

impl Loan {
    /// Makes the caller the owner of all that was lent and of all that was made.
    ///
    /// Call it once no process of the sandbox is left. Changing the owner also
    /// clears set-user-id bits, so nothing comes back with a root's rights.
    pub fn give_back(self) {
        let (caller, group) = (geteuid().as_raw(), getegid().as_raw());
        for folder in &self.writable {
            own_all(folder, caller, group);
        }
        for (path, user, group) in &self.hidden {
            own(path, *user, *group);
        }
    }
}

/// Makes the caller the owner of whatever an interrupted execution left to one
/// of the users that confined code runs as.
pub fn reclaim(folder: &Path) {
    let (caller, group) = (geteuid().as_raw(), getegid().as_raw());
    for entry in WalkDir::new(folder).follow_links(false).into_iter().flatten() {
        if entry.metadata().is_ok_and(|found| is_ours(found.uid())) {
            own(entry.path(), caller, group);
        }
    }
}

/// Changes the owner of a folder and everything in it; links are changed, never followed.
pub fn own_all(folder: &Path, user: u32, group: u32) {
    for entry in WalkDir::new(folder).follow_links(false).into_iter().flatten() {
        own(entry.path(), user, group);
    }
}

/// Opens a folder and everything in it to readers: what an unprivileged user made may have
/// narrow modes.
pub fn open_to_all(folder: &Path) {
    for entry in WalkDir::new(folder).follow_links(false).into_iter().flatten() {
        let Ok(found) = entry.metadata() else { continue };
        if found.is_symlink() {
            continue;
        }
        let mode = found.permissions().mode();
        let wanted = (mode & 0o755) | if found.is_dir() { 0o755 } else { 0o644 };
        if mode & 0o7777 != wanted {
            let _ = fs::set_permissions(entry.path(), fs::Permissions::from_mode(wanted));
        }
    }
}

fn own(path: &Path, user: u32, group: u32) {
    // A file that is gone or out of reach stays as it is: nobody else gains by it.
    let _ = fchownat(
        AT_FDCWD,
        path,
        Some(Uid::from_raw(user)),
        Some(Gid::from_raw(group)),
        AtFlags::AT_SYMLINK_NOFOLLOW,
    );
}
