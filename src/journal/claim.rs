//! Claims of something that several machines work on, of which one has it at a time.
//!
//! Each claim is a file of its own in a folder, numbered from 1 and made by `link()`, which two
//! machines cannot both do; the one with the highest number counts, and none is ever removed by
//! another. It says who made it, is renewed while its process lives, and says at the end what came of it.

use std::fs::{self, File};
use std::io::{self, Read, Write as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use fs4::{FileExt, TryLockError};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;

use super::holder::Holder;
use super::lease::{self, Lease};
use super::log::JournalError;

const FORMAT: &str = "reprise-claim/1";
/// The longest claim that is read, in bytes.
const LONGEST: u64 = 64 << 10;

/// A claim as it is written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClaimNote {
    pub format: String,
    pub holder: Holder,
    pub at: Timestamp,
    /// The submission to a cluster that it is part of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub submission: Option<u32>,
    /// Absent while it is held, and of a process that was killed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<ClaimEnd>,
}

/// The end of a claim.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClaimEnd {
    pub at: Timestamp,
    pub exit_code: u8,
    /// Why it ended early.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// Steps that were done by then, in whatever measure the claimed thing has.
    #[serde(default)]
    pub steps: u64,
}

/// The standing of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClaimStanding {
    Held,
    Ended,
    /// Its process is gone without an end.
    Lost,
}

/// A claim that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadClaim {
    pub number: u32,
    /// `None` of a file that is no claim, which holds until it is old.
    pub note: Option<ClaimNote>,
    pub standing: ClaimStanding,
}

/// The claims of one thing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimFolder(pub PathBuf);

/// A claim of this process.
#[derive(Debug)]
pub struct Claim {
    folder: ClaimFolder,
    number: u32,
    note: ClaimNote,
    lease: Lease,
}

impl ClaimFolder {
    /// Every claim by its number; none where there is no folder. `now` is the time that leases are held
    /// against.
    ///
    /// # Errors
    /// A folder that cannot be read.
    pub fn read(&self, now: SystemTime) -> Result<Vec<ReadClaim>, JournalError> {
        let mut claims = Vec::new();
        for number in self.numbers()? {
            let path = self.path(number);
            claims.push(read(&path, number, now).map_err(|error| JournalError::io(&path, error))?);
        }
        Ok(claims)
    }

    /// Claims it for this process.
    ///
    /// # Errors
    /// Where another process has it, here or on another machine, or a folder that cannot be written.
    pub fn take(
        &self,
        holder: Holder,
        at: Timestamp,
        submission: Option<u32>,
    ) -> Result<Claim, JournalError> {
        let note = ClaimNote {
            format: FORMAT.to_owned(),
            holder,
            at,
            submission,
            end: None,
        };
        let io = |error| JournalError::io(&self.0, error);
        fs::create_dir_all(&self.0).map_err(io)?;
        let text = serde_json::to_vec(&note)?;
        let mut own = unnamed(&self.0).map_err(io)?;
        // Locked before it has its name, so that nobody on this machine sees it without an owner.
        FileExt::lock(own.as_file()).map_err(io)?;
        own.write_all(&text).map_err(io)?;
        own.as_file().sync_all().map_err(io)?;
        // The time of the file server, which made both files.
        let now = own
            .as_file()
            .metadata()
            .and_then(|file| file.modified())
            .map_err(io)?;
        let number = loop {
            let last = self.last(now)?;
            if let Some(last) = last.as_ref().filter(|last| last.standing == ClaimStanding::Held) {
                return Err(JournalError::InUse {
                    path: self.0.display().to_string(),
                    holder: last.words(),
                });
            }
            let next = last.map_or(Some(1), |last| last.number.checked_add(1));
            let next = next.ok_or_else(|| {
                io(io::Error::other(
                    "its last claim has the highest number: remove it",
                ))
            })?;
            match fs::hard_link(own.path(), self.path(next)) {
                Ok(()) => {}
                // An answer of a file server can get lost: what counts is whether the name is there.
                Err(_) if own.as_file().metadata().is_ok_and(|file| file.nlink() == 2) => {}
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                Err(error) => return Err(io(error)),
            }
            break next;
        };
        let (file, path) = own.into_parts();
        path.close().map_err(io)?;
        sync(&self.0).map_err(io)?;
        Ok(Claim {
            folder: self.clone(),
            number,
            note,
            lease: Lease::new(file, &self.path(number), text),
        })
    }

    /// Its last claim; `None` where nobody ever claimed it.
    ///
    /// # Errors
    /// A folder that cannot be read.
    pub fn last(&self, now: SystemTime) -> Result<Option<ReadClaim>, JournalError> {
        let Some(number) = self.numbers()?.pop() else {
            return Ok(None);
        };
        let path = self.path(number);
        let claim = read(&path, number, now).map_err(|error| JournalError::io(&path, error))?;
        Ok(Some(claim))
    }

    fn numbers(&self) -> Result<Vec<u32>, JournalError> {
        let entries = match fs::read_dir(&self.0) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(JournalError::io(&self.0, error)),
        };
        let number = |entry: io::Result<fs::DirEntry>| {
            let name = entry.ok()?.file_name();
            name.to_str()?.strip_suffix(".json")?.parse().ok()
        };
        let mut numbers: Vec<u32> = entries.filter_map(number).collect();
        numbers.sort_unstable();
        Ok(numbers)
    }

    fn path(&self, number: u32) -> PathBuf {
        self.0.join(format!("{number:04}.json"))
    }
}

impl ReadClaim {
    /// Who holds it, in brackets behind a space.
    pub fn words(&self) -> String {
        let note = self.note.as_ref();
        note.map_or(String::new(), |note| format!(" ({})", note.holder.words()))
    }
}

impl Claim {
    /// Whether this process still has it: nobody made a later claim, and signs of life get through.
    pub fn is_ours(&self) -> bool {
        let last = self
            .folder
            .numbers()
            .ok()
            .and_then(|numbers| numbers.last().copied());
        !self.lease.is_overdue() && last == Some(self.number)
    }

    /// The claims before this one.
    ///
    /// # Errors
    /// A folder that cannot be read.
    pub fn earlier(&self, now: SystemTime) -> Result<Vec<ReadClaim>, JournalError> {
        let mut claims = self.folder.read(now)?;
        claims.retain(|claim| claim.number < self.number);
        Ok(claims)
    }

    /// Lets go, with what came of it.
    ///
    /// # Errors
    /// A folder that cannot be written; others then wait for the lease.
    pub fn end(mut self, end: ClaimEnd) -> Result<(), JournalError> {
        self.note.end = Some(end);
        let io = |error| JournalError::io(&self.folder.0, error);
        let mut whole = unnamed(&self.folder.0).map_err(io)?;
        whole.write_all(&serde_json::to_vec(&self.note)?).map_err(io)?;
        whole.as_file().sync_all().map_err(io)?;
        whole
            .persist(self.folder.path(self.number))
            .map_err(|error| io(error.error))?;
        sync(&self.folder.0).map_err(io)
    }
}

/// A file that is none of the claims yet; readable by everybody.
fn unnamed(folder: &Path) -> io::Result<NamedTempFile> {
    tempfile::Builder::new()
        .prefix(".claim-")
        .permissions(fs::Permissions::from_mode(0o644))
        .tempfile_in(folder)
}

fn read(path: &Path, number: u32, now: SystemTime) -> io::Result<ReadClaim> {
    let file = File::open(path)?;
    let mut text = String::new();
    let is_text = (&file).take(LONGEST).read_to_string(&mut text).is_ok();
    let note: Option<ClaimNote> = serde_json::from_str(&text).ok().filter(|_| is_text);
    let standing = match &note {
        Some(note) if note.end.is_some() => ClaimStanding::Ended,
        Some(note) if note.holder.is_here() => match FileExt::try_lock_shared(&file) {
            Ok(()) => ClaimStanding::Lost,
            Err(TryLockError::WouldBlock) => ClaimStanding::Held,
            Err(TryLockError::Error(error)) => return Err(error),
        },
        note => {
            let unknown = Holder::here(None);
            let holder = note.as_ref().map_or(&unknown, |note| &note.holder);
            match lease::is_alive(holder, &file, now)? {
                true => ClaimStanding::Held,
                false => ClaimStanding::Lost,
            }
        }
    };
    Ok(ReadClaim {
        number,
        note,
        standing,
    })
}

fn sync(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::time::Duration;

    use super::*;

    fn at() -> Timestamp {
        Timestamp::UNIX_EPOCH
    }

    fn ended(exit_code: u8) -> ClaimEnd {
        ClaimEnd {
            at: at(),
            exit_code,
            detail: None,
            steps: 3,
        }
    }

    #[test]
    fn one_of_many_has_it_and_the_next_one_sees_what_came_of_it() {
        let place = tempfile::tempdir().unwrap();
        let folder = ClaimFolder(place.path().join("cell"));
        let barrier = Barrier::new(8);
        let taken: Vec<_> = std::thread::scope(|scope| {
            let all: Vec<_> = (0..8)
                .map(|_| {
                    scope.spawn(|| {
                        barrier.wait();
                        folder.take(Holder::here(None), at(), None)
                    })
                })
                .collect();
            all.into_iter().map(|one| one.join().unwrap()).collect()
        });
        let mut claims: Vec<Claim> = taken.into_iter().filter_map(Result::ok).collect();
        assert_eq!(claims.len(), 1, "{claims:?}");
        let refused = folder
            .take(Holder::here(None), at(), None)
            .unwrap_err()
            .to_string();
        assert!(
            refused.contains(&format!("(pid {})", std::process::id())),
            "{refused}"
        );
        let claim = claims.pop().unwrap();
        assert!(claim.is_ours());
        claim.end(ended(130)).unwrap();
        let second = folder
            .take(Holder::here(Some("7_1".to_owned())), at(), Some(2))
            .unwrap();
        let earlier = second.earlier(SystemTime::now()).unwrap();
        assert_eq!(earlier.len(), 1);
        let note = earlier[0].note.as_ref().unwrap();
        assert_eq!(
            (note.end.as_ref(), earlier[0].standing),
            (Some(&ended(130)), ClaimStanding::Ended)
        );
        let left: Vec<_> = fs::read_dir(&folder.0).unwrap().flatten().collect();
        assert_eq!(left.len(), 2, "{left:?}");
    }

    #[test]
    fn a_claim_of_another_machine_holds_until_its_lease_is_out_and_its_holder_sees_that_it_lost_it() {
        let place = tempfile::tempdir().unwrap();
        let folder = ClaimFolder(place.path().to_owned());
        let away = Holder {
            host: "node7".to_owned(),
            boot: "other".to_owned(),
            ..Holder::here(Some("5_0".to_owned()))
        };
        let seconds = away.lease_seconds;
        let theirs = folder.take(away, at(), Some(1)).unwrap();
        let refused = folder
            .take(Holder::here(None), at(), None)
            .unwrap_err()
            .to_string();
        assert!(refused.contains("host node7, job 5_0"), "{refused}");
        let file = File::options().write(true).open(folder.path(1)).unwrap();
        let old = SystemTime::now() - Duration::from_secs(seconds + 5);
        file.set_modified(old).unwrap();
        let ours = folder.take(Holder::here(None), at(), None).unwrap();
        assert!(ours.is_ours() && !theirs.is_ours());
        let standings: Vec<_> = folder.read(SystemTime::now()).unwrap();
        assert_eq!(standings[0].standing, ClaimStanding::Lost);
        assert_eq!(standings[1].standing, ClaimStanding::Held);
    }

    #[test]
    fn a_process_of_this_machine_that_is_gone_has_lost_it_at_once() {
        let place = tempfile::tempdir().unwrap();
        let folder = ClaimFolder(place.path().to_owned());
        drop(folder.take(Holder::here(None), at(), None).unwrap());
        assert_eq!(
            folder.read(SystemTime::now()).unwrap()[0].standing,
            ClaimStanding::Lost
        );
        folder.take(Holder::here(None), at(), None).unwrap();
        fs::write(folder.path(3), "no claim").unwrap();
        let read = folder.read(SystemTime::now()).unwrap();
        assert_eq!(
            (read[2].standing, read[2].note.as_ref()),
            (ClaimStanding::Held, None)
        );
    }
}
