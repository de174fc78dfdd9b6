//! Private folders of executions, and what is left of them after a crash.

use std::fs;
use std::io::{self, ErrorKind};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::{cgroup, tree};
use crate::domain::digest::Digest;
use crate::domain::ids::RunId;
use crate::sandbox::ownership;
use crate::sandbox::removal;

/// The folder of one execution. Removed when dropped.
#[derive(Debug)]
pub struct Scratch {
    folder: PathBuf,
    /// A name for what the execution has outside the folder.
    pub label: String,
    /// The user to run as, unlike that of any execution at the same time.
    pub user: u32,
}

impl Scratch {
    /// Makes a folder for an execution of `run` below `root`. Its name is random: processes of several containers
    /// may share `root` and have the same number.
    pub fn make(root: &Path, run: &str) -> io::Result<Self> {
        let above = root.join(run);
        // Passable, not listable: the unprivileged user reaches its own folder and no other.
        let mut builder = fs::DirBuilder::new();
        builder.mode(0o711);
        let (folder, part) = loop {
            fs::DirBuilder::new().recursive(true).mode(0o711).create(&above)?;
            let part = format!("{:016x}", rand::random::<u64>());
            let folder = above.join(&part);
            match builder.create(&folder) {
                Ok(()) => break (folder, part),
                // Taken, or another process removed the folder above it since.
                Err(error) if matches!(error.kind(), ErrorKind::AlreadyExists | ErrorKind::NotFound) => {}
                Err(error) => return Err(error),
            }
        };
        let scratch = Self {
            folder,
            label: format!("{run}-{part}"),
            user: ownership::next_user(),
        };
        fs::DirBuilder::new().mode(0o700).create(scratch.private())?;
        Ok(scratch)
    }

    /// The folder that belongs to the confined code.
    pub fn private(&self) -> PathBuf {
        self.folder.join("private")
    }

    /// A file of the engine's, out of the confined code's sight.
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Notes the helper, so that a later process can end it.
    pub fn note_helper(&self, process: u32) -> io::Result<()> {
        let process = i32::try_from(process).unwrap_or(i32::MAX);
        let started = tree::started(process).unwrap_or_default();
        fs::write(self.file("helper"), format!("{process} {started}"))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be removed is left to the next sweep.
        let _ = removal::remove(&self.folder);
        if let Some(parent) = self.folder.parent() {
            let _ = fs::remove_dir(parent);
        }
    }
}

/// A run's name as a folder and a cgroup may have it.
pub fn name(run: &RunId) -> String {
    let text = run.as_str();
    let plain = !text.is_empty()
        && text.len() <= 64
        && text.starts_with(|first: char| first.is_ascii_alphanumeric())
        && text
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || "-_.".contains(letter));
    if plain {
        text.to_owned()
    } else {
        format!("run-{}", Digest::compute(text).short())
    }
}

/// Ends and removes whatever executions of a run left below `root`.
pub fn sweep(root: &Path, run: &str) -> io::Result<()> {
    let folder = root.join(run);
    let entries = match fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    for entry in entries.flatten() {
        end_helper(&entry.path().join("helper"));
        end_marked(&entry.path());
        cgroup::sweep(&format!("{run}-{}", entry.file_name().to_string_lossy()));
    }
    removal::remove(&folder)
}

fn end_helper(file: &Path) {
    let Some((process, started)) = fs::read_to_string(file).ok().and_then(|text| {
        let (process, started) = text.split_once(' ')?;
        Some((process.parse::<i32>().ok()?, started.parse::<u64>().ok()?))
    }) else {
        return;
    };
    // A later process may have the same number, but not the same start.
    if tree::started(process) == Some(started) {
        for process in tree::descendants(process).into_iter().chain([process]) {
            let _ = kill(Pid::from_raw(process), Signal::SIGKILL);
        }
    }
}

/// Ends orphans of a helper that was killed itself: without a namespace they
/// can be known only by the temporary folder in their environment.
fn end_marked(folder: &Path) {
    let mark = format!("TMPDIR={}/", folder.display());
    let Ok(entries) = fs::read_dir("/proc") else {
        return;
    };
    for entry in entries.flatten() {
        let Some(process) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else {
            continue;
        };
        let environment = fs::read(entry.path().join("environ")).unwrap_or_default();
        if environment
            .split(|byte| *byte == 0)
            .any(|variable| variable.starts_with(mark.as_bytes()))
        {
            let _ = kill(Pid::from_raw(process), Signal::SIGKILL);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn folders_closed_by_the_code_in_them_are_removed() {
        let root = tempfile::tempdir().unwrap();
        let scratch = Scratch::make(root.path(), "run").unwrap();
        let closed = scratch.private().join("a/b");
        fs::create_dir_all(&closed).unwrap();
        fs::write(closed.join("file"), "x").unwrap();
        for folder in [closed.clone(), closed.parent().unwrap().to_owned()] {
            fs::set_permissions(folder, fs::Permissions::from_mode(0o000)).unwrap();
        }
        drop(scratch);
        assert!(!root.path().join("run").exists());
    }

    /// As two processes in containers of their own have it that share a folder and a number.
    #[test]
    fn folders_made_at_once_are_each_their_own() {
        let root = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        drop(Scratch::make(root.path(), "questions").unwrap());
                    }
                });
            }
        });
        let all: Vec<Scratch> = (0..50)
            .map(|_| Scratch::make(root.path(), "questions").unwrap())
            .collect();
        for scratch in &all {
            // Nothing of the process's number.
            assert_eq!(scratch.folder.file_name().unwrap().len(), 16);
        }
        let names: std::collections::BTreeSet<_> = all.iter().map(|scratch| &scratch.folder).collect();
        let users: std::collections::BTreeSet<_> = all.iter().map(|scratch| scratch.user).collect();
        assert_eq!((names.len(), users.len()), (50, 50));
    }

    #[test]
    fn any_run_has_a_name_that_is_one_folder() {
        assert_eq!(name(&RunId::new("run-1.a")), "run-1.a");
        for bad in ["", "..", "a/b", "-x", "run\n", &"x".repeat(65)] {
            let name = name(&RunId::new(bad));
            assert!(name.starts_with("run-") && !name.contains('/'), "{bad:?}");
        }
    }
}
