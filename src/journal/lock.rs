//! One run, one writer.

use std::fs::File;
use std::io::{Read, Seek, Write};
use std::path::Path;
use std::time::Duration;

use fs4::{FileExt, TryLockError};

use super::log::JournalError;

/// Holds a run for this process; the system lets go when the process ends,
/// however it ends.
#[derive(Debug)]
pub struct RunLock {
    _file: File,
}

impl RunLock {
    /// Takes the lock file, or says who has it.
    ///
    /// # Errors
    /// A run that another process holds, or a file that cannot be written.
    pub fn take(path: &Path) -> Result<Self, JournalError> {
        let mut file = File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(|error| JournalError::io(path, error))?;
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
            let is_dead = holder.is_some_and(|pid| !Path::new(&format!("/proc/{pid}")).exists());
            if !is_dead || attempts_left == 0 {
                return Err(JournalError::InUse {
                    path: path.parent().unwrap_or(path).display().to_string(),
                    holder: holder.map_or(String::new(), |pid| format!(" (pid {pid})")),
                });
            }
            attempts_left -= 1;
            std::thread::sleep(Duration::from_millis(50));
        }
        let note = |file: &mut File| -> std::io::Result<()> {
            file.set_len(0)?;
            file.rewind()?;
            write!(file, "{}", std::process::id())
        };
        note(&mut file).map_err(|error| JournalError::io(path, error))?;
        Ok(Self { _file: file })
    }
}

impl RunLock {
    /// Whether somebody holds the lock file at `path`, without taking it for longer than the question.
    ///
    /// # Errors
    /// Where there is no such file, or it cannot be opened.
    pub fn is_held(path: &Path) -> std::io::Result<bool> {
        let file = File::open(path)?;
        match FileExt::try_lock_shared(&file) {
            Ok(()) => Ok(false),
            Err(TryLockError::WouldBlock) => Ok(true),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }
}

/// The process that noted itself in the lock file.
fn holder(file: &mut File) -> Option<u32> {
    let mut text = String::new();
    file.rewind().ok()?;
    file.read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
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
        drop(held);
        assert!(!RunLock::is_held(&path).unwrap());
        assert!(RunLock::is_held(&folder.path().join("none")).is_err());
        RunLock::take(&path).unwrap();
    }
}
