//! Signs of life of this process in files that it holds, for processes on other machines.
//!
//! A file that is held is written again, with the same bytes, every half a minute. Whoever looks at
//! it from another machine, where the system's lock may tell nothing, goes by the time of its last
//! change. A process that was stopped for longer than that may find that another one took the file over: before it
//! goes on it looks at who is noted there, and it never writes over another's note.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError, Weak};
use std::thread;
use std::time::{Duration, SystemTime};

use nix::time::{ClockId, clock_gettime};

use super::holder::{Holder, LEASE_SECONDS};

/// The time between two signs of life: four fit into a lease.
const RENEWAL: Duration = Duration::from_secs(LEASE_SECONDS / 4);

/// The files of this process that are held, renewed by one thread for all.
static HELD: LazyLock<Mutex<Vec<Weak<HeldFile>>>> = LazyLock::new(|| {
    // Without the thread nothing is renewed, and each lease says so of itself.
    let _started = thread::Builder::new()
        .name("leases".to_owned())
        .stack_size(128 << 10)
        .spawn(renew_all);
    Mutex::default()
});

#[derive(Debug)]
struct HeldFile {
    file: File,
    path: PathBuf,
    text: Vec<u8>,
    /// The last sign of life, by [`now`].
    renewed: Mutex<Duration>,
    /// Held while the file is written; true once it is let go.
    is_released: Mutex<bool>,
}

/// A file that is renewed until this is dropped.
#[derive(Debug)]
pub struct Lease {
    held: Arc<HeldFile>,
}

impl Lease {
    /// Keeps a file at a path that holds just `text`.
    pub fn new(file: File, path: &Path, text: Vec<u8>) -> Self {
        let held = Arc::new(HeldFile {
            file,
            path: path.to_owned(),
            text,
            renewed: Mutex::new(now()),
            is_released: Mutex::default(),
        });
        lock(&HELD).push(Arc::downgrade(&held));
        Self { held }
    }

    /// The file.
    pub fn file(&self) -> &File {
        &self.held.file
    }

    /// Gives no further sign of life; what the file holds from here on stays.
    pub fn release(&self) {
        *lock(&self.held.is_released) = true;
    }

    /// Whether no sign of life could be given for so long that others may take this process for dead.
    pub fn is_overdue(&self) -> bool {
        let renewed = *lock(&self.held.renewed);
        now().saturating_sub(renewed) > Duration::from_secs(LEASE_SECONDS) - RENEWAL
    }

    /// Whether the file is still this process's: its last sign of life is recent, or no other process took the file
    /// while there was none. In that case a sign of life is given.
    ///
    /// # Errors
    /// A file that cannot be read or written.
    pub fn is_kept(&self) -> io::Result<bool> {
        if self.is_overdue() {
            self.held.renew()?;
        }
        Ok(!self.is_overdue())
    }

    /// Whether the file holds the note of this process, and not that of one that took it over.
    pub fn is_own(&self) -> bool {
        self.held.is_own().unwrap_or(false)
    }

    /// Lets so much time pass since the last sign of life.
    #[cfg(test)]
    pub fn age(&self, by: Duration) {
        let mut renewed = lock(&self.held.renewed);
        *renewed = renewed.saturating_sub(by);
    }
}

/// The time since the machine started, the time that it slept included: it runs on for other machines.
fn now() -> Duration {
    clock_gettime(ClockId::CLOCK_BOOTTIME).map_or(Duration::MAX, Duration::from)
}

impl Drop for Lease {
    /// Lets go of the system's lock as well, which a process that is being started may have a copy of.
    fn drop(&mut self) {
        self.release();
        let _closing_unlocks = fs4::FileExt::unlock(self.file());
    }
}

impl HeldFile {
    fn renew(&self) -> io::Result<()> {
        let is_released = lock(&self.is_released);
        if *is_released || !self.is_own()? {
            return Ok(());
        }
        self.file.write_all_at(&self.text, 0)?;
        self.file.sync_data()?;
        *lock(&self.renewed) = now();
        Ok(())
    }

    fn is_own(&self) -> io::Result<bool> {
        // Opened anew, so that a file system of several machines shows what others wrote.
        Ok(std::fs::read(&self.path)? == self.text)
    }
}

fn renew_all() {
    loop {
        thread::sleep(RENEWAL);
        let held: Vec<Arc<HeldFile>> = {
            let mut all = lock(&HELD);
            all.retain(|one| one.strong_count() > 0);
            all.iter().filter_map(Weak::upgrade).collect()
        };
        for one in held {
            // A disk that fails shows in the lease, which is overdue after a while.
            let _overdue = one.renew();
        }
    }
}

/// Whether a holder on another machine is alive: its file changed within its lease before `now`.
/// A time in the future is a clock that is ahead, and a sign of life.
///
/// # Errors
/// A file whose time cannot be told.
pub fn is_alive(holder: &Holder, file: &File, now: SystemTime) -> io::Result<bool> {
    let changed = file.metadata()?.modified()?;
    let age = now.duration_since(changed).unwrap_or_default();
    Ok(age <= Duration::from_secs(holder.lease_seconds))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sign_of_life_changes_the_time_and_not_the_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("held");
        std::fs::write(&path, "note").unwrap();
        let file = File::options().read(true).write(true).open(&path).unwrap();
        let long_ago = SystemTime::now() - Duration::from_secs(1000);
        file.set_modified(long_ago).unwrap();
        let away = Holder {
            boot: "other".to_owned(),
            ..Holder::here(None)
        };
        assert!(!is_alive(&away, &file, SystemTime::now()).unwrap());
        assert!(is_alive(&away, &file, long_ago - Duration::from_secs(5)).unwrap());
        let lease = Lease::new(file, &path, b"note".to_vec());
        lease.held.renew().unwrap();
        assert!(is_alive(&away, lease.file(), SystemTime::now()).unwrap());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "note");
        assert!(!lease.is_overdue());
        lease.age(Duration::from_secs(LEASE_SECONDS));
        assert!(lease.is_overdue());
        // Nobody took it meanwhile.
        assert!(lease.is_kept().unwrap() && !lease.is_overdue());
        lease.age(Duration::from_secs(LEASE_SECONDS));
        std::fs::write(&path, "other").unwrap();
        assert!(!lease.is_kept().unwrap() && lease.is_overdue());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "other");
    }
}
