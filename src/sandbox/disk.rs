//! Keeping confined code from filling up the disk that it writes to.

use std::path::{Path, PathBuf};

use nix::sys::statvfs::statvfs;

/// What a command must leave free: the least of these bytes or names, of a
/// tenth of the disk, and of half of what was free when it started.
const BYTES: u64 = 512 << 20;
const NAMES: u64 = 10_000;
const SHARE: u64 = 10;

/// What a report says of a command that came too near to the end of a disk.
pub const ENDED: &str = "The command was ended because the disk that it wrote to was nearly full.";

/// The disks that a command can write to, and what each has to keep.
#[derive(Debug, Clone, Default)]
pub struct Disks(Vec<Disk>);

#[derive(Debug, Clone)]
struct Disk {
    folder: PathBuf,
    keep: Room,
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
        Self(
            folders
                .into_iter()
                .filter_map(|folder| {
                    let (free, total) = room(folder)?;
                    Some(Disk {
                        folder: folder.to_owned(),
                        keep: keep(free, total),
                    })
                })
                .collect(),
        )
    }

    /// Whether one of them has less left than it has to keep.
    pub fn nearly_full(&self) -> bool {
        self.0.iter().any(|disk| {
            room(&disk.folder)
                .is_some_and(|(free, _)| free.bytes < disk.keep.bytes || free.names < disk.keep.names)
        })
    }
}

/// Some file systems count no names and report none of them, used or free.
fn keep(free: Room, total: Room) -> Room {
    Room {
        bytes: BYTES.min(total.bytes / SHARE).min(free.bytes / 2),
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
        assert_eq!(keep(room(1000, 10), room(200 << 30, 1 << 25)), room(500, 5));
        assert_eq!(keep(room(1 << 40, 0), room(1 << 41, 0)).names, 0);
    }

    #[test]
    fn this_machine_has_room() {
        let folder = tempfile::tempdir().unwrap();
        let disks = Disks::under([folder.path(), Path::new("/nowhere")]);
        assert_eq!(disks.0.len(), 1);
        assert!(!disks.nearly_full());
    }
}
