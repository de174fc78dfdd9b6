//! Keeping confined code from filling up the disk that it writes to.

use std::fs::{self, File, Metadata};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use nix::sys::memfd::{MFdFlags, memfd_create};
use nix::sys::statvfs::statvfs;

/// What a command must leave free: the least of these bytes or names, of a
/// tenth of the disk, and of half of what was free when it started.
const BYTES: u64 = 512 << 20;
const NAMES: u64 = 10_000;
const SHARE: u64 = 10;
/// The bytes without which not even a shell can write down how its command ended.
const LEAST: u64 = 16 << 10;
/// A command that wrote less than this did not fill a disk.
const OWN: u64 = 4 << 20;

/// What a report says of a command that came too near to the end of a disk.
pub const ENDED: &str = "The command was ended because the disk that it wrote to was nearly full.";

/// The disks that a command can write to, and what each has to keep.
#[derive(Debug, Clone, Default)]
pub struct Disks(Vec<Disk>);

#[derive(Debug, Clone)]
struct Disk {
    folder: PathBuf,
    keep: Room,
    /// What was free at the beginning.
    free: Room,
    /// Of a file that was made then: its stamps are by the clock that those of others are by, and no deadline's.
    since: Option<Metadata>,
}

/// Free bytes and names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Room {
    bytes: u64,
    names: u64,
}

impl Disks {
    /// The disks under these folders, as they are before a command. A disk that
    /// does not tell its size is not watched.
    pub fn under<'a>(folders: impl IntoIterator<Item = &'a Path>) -> Self {
        let since = stamped();
        Self(
            folders
                .into_iter()
                .filter_map(|folder| {
                    let (free, total) = room(folder)?;
                    Some(Disk {
                        folder: folder.to_owned(),
                        keep: keep(free, total),
                        free,
                        since: since.clone(),
                    })
                })
                .collect(),
        )
    }

    /// Whether one of them has less left than it has to keep.
    pub fn nearly_full(&self) -> bool {
        self.0.iter().any(Disk::is_nearly_full)
    }

    /// The folder whose disk is nearly full by others than the command that ran meanwhile: what it wrote is little,
    /// or less than half of what was free when it began. `None` where the command filled it, also by what was gone
    /// with its end.
    pub fn filled_by_others(&self) -> Option<PathBuf> {
        let disk = self.0.iter().find(|disk| disk.is_nearly_full())?;
        let since = disk.since.as_ref()?;
        let device = |disk: &Disk| fs::metadata(&disk.folder).ok().map(|found| found.dev());
        let same = self.0.iter().filter(|other| device(other) == device(disk));
        let own = same.fold(Room { bytes: 0, names: 0 }, |own, other| {
            let written = written(&other.folder, since);
            Room {
                bytes: own.bytes.saturating_add(written.bytes),
                names: own.names.saturating_add(written.names),
            }
        });
        let (left, _) = room(&disk.folder)?;
        let is_own = match left.bytes < disk.keep.bytes {
            true => own.bytes >= OWN.max(disk.free.bytes.saturating_sub(left.bytes) / 2),
            false => own.names >= disk.free.names.saturating_sub(left.names) / 2,
        };
        (!is_own).then(|| disk.folder.clone())
    }
}

impl Disk {
    fn is_nearly_full(&self) -> bool {
        room(&self.folder)
            .is_some_and(|(free, _)| free.bytes < self.keep.bytes || free.names < self.keep.names)
    }
}

/// A file in memory that was made just now.
fn stamped() -> Option<Metadata> {
    let made = memfd_create(c"begun", MFdFlags::MFD_CLOEXEC).ok()?;
    File::from(made).metadata().ok()
}

/// What was made or changed below a folder since another file was made, as far as that can be read.
fn written(folder: &Path, since: &Metadata) -> Room {
    // What a command was lent is another's by then, so that the time of its last change of state tells nothing.
    let is_new = |found: &Metadata| {
        [found.created(), found.modified()]
            .into_iter()
            .flatten()
            .any(|time| since.modified().is_ok_and(|since| time >= since))
    };
    let mut all = Room { bytes: 0, names: 0 };
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let Ok(found) = entry.metadata() else { continue };
            if is_new(&found) {
                all.bytes = all.bytes.saturating_add(found.blocks().saturating_mul(512));
                all.names += 1;
            }
            if found.is_dir() {
                folders.push(entry.path());
            }
        }
    }
    all
}

/// Some file systems count no names and report none of them, used or free.
fn keep(free: Room, total: Room) -> Room {
    Room {
        bytes: BYTES
            .min(total.bytes / SHARE)
            .min(free.bytes / 2)
            .max(LEAST.min(total.bytes / SHARE)),
        names: NAMES.min(total.names / SHARE).min(free.names / 2),
    }
}

fn room(folder: &Path) -> Option<(Room, Room)> {
    let found = statvfs(folder).ok()?;
    let unit = found.fragment_size();
    Some((
        Room {
            bytes: found.blocks_available().saturating_mul(unit),
            names: found.files_available(),
        },
        Room {
            bytes: found.blocks().saturating_mul(unit),
            names: found.files(),
        },
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_follows_the_disk_and_what_was_free() {
        let room = |bytes, names| Room { bytes, names };
        let large = keep(room(100 << 30, 1 << 24), room(200 << 30, 1 << 25));
        assert_eq!(large, room(512 << 20, 10_000));
        let small = keep(room(90 << 20, 900), room(100 << 20, 1000));
        assert_eq!(small, room(10 << 20, 100));
        // A disk that was nearly full before the command is not the command's fault.
        assert_eq!(
            keep(room(1 << 20, 10), room(200 << 30, 1 << 25)),
            room(1 << 19, 5)
        );
        // One on which nothing can be written is.
        assert_eq!(keep(room(0, 10), room(200 << 30, 1 << 25)).bytes, 16 << 10);
        assert_eq!(keep(room(1 << 40, 0), room(1 << 41, 0)).names, 0);
    }

    #[test]
    fn whoever_wrote_most_filled_the_disk() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("before"), vec![1; 6 << 20]).unwrap();
        // Stamps are as fine as the ticks of the kernel.
        std::thread::sleep(std::time::Duration::from_millis(50));
        let mut disks = Disks::under([folder.path()]);
        let lost = |disk: &mut Disk| {
            let (free, _) = room(&disk.folder).unwrap();
            // As if the disk had had 8 MiB more.
            disk.free.bytes = free.bytes + (8 << 20);
            disk.keep.bytes = u64::MAX;
        };
        lost(&mut disks.0[0]);
        assert_eq!(disks.filled_by_others().as_deref(), Some(folder.path()));
        fs::write(folder.path().join("own"), vec![1; 6 << 20]).unwrap();
        lost(&mut disks.0[0]);
        assert_eq!(disks.filled_by_others(), None);
        disks.0[0].keep.bytes = 0;
        assert_eq!(disks.filled_by_others(), None);
    }

    #[test]
    fn this_machine_has_room() {
        let folder = tempfile::tempdir().unwrap();
        let disks = Disks::under([folder.path(), Path::new("/nowhere")]);
        assert_eq!(disks.0.len(), 1);
        assert!(!disks.nearly_full());
    }
}
