//! Lock on a cache in use, so that nobody cleans it under a run's feet.

use std::fs::{self, File, TryLockError};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

/// A hold on a cache; the system lets go when the process ends, however it ends.
#[derive(Debug)]
pub struct InUse {
    file: File,
}

impl Drop for InUse {
    /// Closing the file is not enough: a child that was started meanwhile has it open until it
    /// runs its program.
    fn drop(&mut self) {
        drop(self.file.unlock());
    }
}

/// The other processes that hold a cache.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Others(pub Vec<u32>);

impl InUse {
    /// Uses a cache, beside others that do. Waits while it is being cleaned.
    ///
    /// # Errors
    /// A folder that cannot be made or locked.
    pub fn share(cache: &Path) -> io::Result<Self> {
        fs::create_dir_all(cache)?;
        let file = open(cache)?;
        file.lock_shared()?;
        Ok(Self { file })
    }

    /// Takes a cache that nobody uses, or says who does.
    ///
    /// # Errors
    /// A folder that cannot be locked; others that use it are the inner error.
    pub fn alone(cache: &Path) -> io::Result<Result<Self, Others>> {
        let file = open(cache)?;
        match file.try_lock() {
            Ok(()) => Ok(Ok(Self { file })),
            Err(TryLockError::WouldBlock) => Ok(Err(Others(holders(file.metadata()?.ino())))),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }
}

fn open(cache: &Path) -> io::Result<File> {
    File::options()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(cache.join("in-use"))
}

/// The processes with a lock on a file, as the kernel lists them.
fn holders(inode: u64) -> Vec<u32> {
    let end = format!(":{inode}");
    let mut found: Vec<u32> = fs::read_to_string("/proc/locks")
        .unwrap_or_default()
        .lines()
        .filter_map(|line| {
            let mut words = line.split_whitespace().skip(4);
            let process = words.next()?.parse().ok()?;
            words.next()?.ends_with(&end).then_some(process)
        })
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_cleans_only_where_nobody_works() {
        let cache = tempfile::tempdir().unwrap();
        let one = InUse::share(cache.path()).unwrap();
        let two = InUse::share(cache.path()).unwrap();
        drop(one);
        let others = InUse::alone(cache.path()).unwrap().unwrap_err();
        assert_eq!(others, Others(vec![std::process::id()]));
        drop(two);
        let alone = InUse::alone(cache.path()).unwrap().unwrap();
        assert!(InUse::alone(cache.path()).unwrap().is_err());
        drop(alone);
        InUse::share(cache.path()).unwrap();
    }
}
