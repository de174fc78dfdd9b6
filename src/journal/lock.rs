//! One run, one writer.

use std::fs::File;
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use fs4::{FileExt, TryLockError};

use super::holder::Holder;
use super::lease::{self, Lease};
use super::log::JournalError;

/// Holds a run for this process. On this machine the system lets go when the process ends, however
/// it ends; on another one, where locks may hold for each machine alone, its lease runs out.
#[derive(Debug)]
pub struct RunLock {
    path: PathBuf,
    lease: Lease,
}

impl RunLock {
    /// Takes the lock file, or says who has it.
    ///
    /// # Errors
    /// A run that another process holds, here or on another machine, or a file that cannot be written.
    pub fn take(path: &Path) -> Result<Self, JournalError> {
        let mut file = File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(|error| JournalError::io(path, error))?;
        let in_use = |holder: Option<Holder>| JournalError::InUse {
            path: path.parent().unwrap_or(path).display().to_string(),
            holder: holder.map_or(String::new(), |holder| format!(" ({})", holder.words())),
        };
        let mut attempts_left = 40;
        loop {
            match FileExt::try_lock(&file) {
                Ok(()) => break,
                Err(TryLockError::Error(error)) => return Err(JournalError::io(path, error)),
                Err(TryLockError::WouldBlock) => {}
            }
            let holder = holder(&mut file);
            // A process that was killed while it started another one leaves the
            // lock to that one for a moment.
            let is_dead = holder.as_ref().is_some_and(|holder| {
                holder.is_here() && !Path::new(&format!("/proc/{}", holder.pid)).exists()
            });
            if !is_dead || attempts_left == 0 {
                return Err(in_use(holder));
            }
            attempts_left -= 1;
            std::thread::sleep(Duration::from_millis(50));
        }
        if let Some(away) = alive_elsewhere(&mut file).map_err(|error| JournalError::io(path, error))? {
            return Err(in_use(Some(away)));
        }
        let text = serde_json::to_vec(&Holder::here(None))?;
        let note = |file: &mut File| -> std::io::Result<()> {
            file.set_len(0)?;
            file.rewind()?;
            file.write_all(&text)?;
            file.sync_data()
        };
        note(&mut file).map_err(|error| JournalError::io(path, error))?;
        Ok(Self {
            path: path.to_owned(),
            lease: Lease::new(file, path, text),
        })
    }

    /// Checks that the run is still this process's, after whatever time it was stopped.
    ///
    /// # Errors
    /// Another process took the run, or nothing can be read of that.
    pub fn ensure_kept(&self) -> Result<(), JournalError> {
        let io = |error| JournalError::io(&self.path, error);
        if self.lease.is_kept().map_err(io)? {
            return Ok(());
        }
        let other = File::open(&self.path).ok().and_then(|mut file| holder(&mut file));
        Err(JournalError::TakenOver {
            path: self.path.parent().unwrap_or(&self.path).display().to_string(),
            holder: other.map_or(String::new(), |holder| format!(" ({})", holder.words())),
        })
    }

    /// Whether somebody holds the lock file at `path`, without taking it for longer than the question.
    ///
    /// # Errors
    /// Where there is no such file, or it cannot be opened.
    pub fn is_held(path: &Path) -> std::io::Result<bool> {
        Self::held_by(path).map(|held| held.is_some())
    }

    /// Who holds the lock file at `path`, in words; the same question.
    ///
    /// # Errors
    /// Where there is no such file, or it cannot be opened.
    pub fn held_by(path: &Path) -> std::io::Result<Option<String>> {
        let mut file = File::open(path)?;
        match FileExt::try_lock_shared(&file) {
            Ok(()) => Ok(alive_elsewhere(&mut file)?.map(|holder| holder.words())),
            Err(TryLockError::WouldBlock) => {
                let unknown = || "a process that did not name itself".to_owned();
                Ok(Some(
                    holder(&mut file).map_or_else(unknown, |holder| holder.words()),
                ))
            }
            Err(TryLockError::Error(error)) => Err(error),
        }
    }
}

impl Drop for RunLock {
    /// Nobody on another machine has to wait for the lease of a run that was let go.
    fn drop(&mut self) {
        self.lease.release();
        if self.lease.is_own() {
            let _the_lease_runs_out = self.lease.file().set_len(0);
        }
    }
}

/// The holder on another machine whose lease is not out, of a file that nobody here has locked.
fn alive_elsewhere(file: &mut File) -> std::io::Result<Option<Holder>> {
    let Some(holder) = holder(file).filter(|holder| !holder.is_here()) else {
        return Ok(None);
    };
    let is_alive = lease::is_alive(&holder, file, SystemTime::now())?;
    Ok(is_alive.then_some(holder))
}

/// The process that noted itself in the lock file.
fn holder(file: &mut File) -> Option<Holder> {
    let mut text = String::new();
    file.rewind().ok()?;
    file.take(8192).read_to_string(&mut text).ok()?;
    Holder::parse(&text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_process_is_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let held = RunLock::take(&path).unwrap();
        let refused = RunLock::take(&path).unwrap_err().to_string();
        assert!(
            refused.contains(&format!("(pid {})", std::process::id())),
            "{refused}"
        );
        assert!(RunLock::is_held(&path).unwrap());
        let named = format!("pid {}", std::process::id());
        assert_eq!(RunLock::held_by(&path).unwrap(), Some(named));
        drop(held);
        assert!(!RunLock::is_held(&path).unwrap());
        assert!(RunLock::is_held(&folder.path().join("none")).is_err());
        RunLock::take(&path).unwrap();
    }

    /// The file system there may keep locks for each machine, so that nobody holds it here.
    #[test]
    fn a_holder_on_another_machine_is_alive_until_its_lease_is_out() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let away = Holder {
            host: "node7".to_owned(),
            boot: "other".to_owned(),
            ..Holder::here(None)
        };
        std::fs::write(&path, serde_json::to_string(&away).unwrap()).unwrap();
        assert!(RunLock::is_held(&path).unwrap());
        let refused = RunLock::take(&path).unwrap_err().to_string();
        assert!(refused.contains("host node7"), "{refused}");
        let file = File::options().write(true).open(&path).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(away.lease_seconds + 5))
            .unwrap();
        assert!(!RunLock::is_held(&path).unwrap());
        RunLock::take(&path).unwrap();
    }

    /// The file system there keeps locks for each machine.
    #[test]
    fn a_process_that_was_stopped_for_long_leaves_the_run_to_the_one_that_took_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let held = RunLock::take(&path).unwrap();
        let stopped = Duration::from_secs(super::super::holder::LEASE_SECONDS);
        held.lease.age(stopped);
        held.ensure_kept().unwrap();
        held.lease.age(stopped);
        let away = Holder {
            host: "node7".to_owned(),
            boot: "other".to_owned(),
            ..Holder::here(None)
        };
        let note = serde_json::to_string(&away).unwrap();
        std::fs::write(&path, &note).unwrap();
        let refused = held.ensure_kept().unwrap_err().to_string();
        assert!(refused.contains("host node7"), "{refused}");
        drop(held);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), note);
    }

    /// A version that noted its process alone, and one that was killed on this machine.
    #[test]
    fn the_dead_of_this_machine_hold_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let dead = serde_json::to_string(&Holder {
            pid: u32::MAX,
            ..Holder::here(None)
        });
        for note in [dead.unwrap(), "4294967295".to_owned(), String::new()] {
            std::fs::write(&path, note).unwrap();
            assert!(!RunLock::is_held(&path).unwrap());
            RunLock::take(&path).unwrap();
        }
    }
}
