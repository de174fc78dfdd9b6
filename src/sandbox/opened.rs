//! Records of the files that were opened below some folders, by inotify.

use std::collections::{BTreeSet, HashMap};
use std::io::ErrorKind;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use inotify::{EventMask, Inotify, WatchDescriptor, WatchMask};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use crate::domain::execution::Opened;
use crate::domain::workspace_path::WorkspacePath;

/// A record in the making. Arm it after the engine has done its own reading:
/// the kernel tells that a file was opened, not by whom.
pub struct Recorder {
    inotify: Inotify,
    folders: HashMap<WatchDescriptor, String>,
    files: BTreeSet<WorkspacePath>,
    complete: bool,
    /// Folders that were made or moved in, and are not watched yet.
    made: BTreeSet<String>,
    buffer: Vec<u8>,
    workspace: std::path::PathBuf,
}

/// Buffers that are read, and folders that are watched, at one look: code that makes
/// folders as fast as they are looked at must not hold up the look at its time limit.
const AT_ONCE: usize = 256;

/// Folders that wait to be watched at most; what was made beyond is not recorded.
const WAITING: usize = 1 << 14;

impl Recorder {
    /// Watches `watched` below `workspace`, with every folder in them.
    pub fn arm(workspace: &Path, watched: &[WorkspacePath]) -> std::io::Result<Self> {
        let mut recorder = Self {
            inotify: Inotify::init()?,
            folders: HashMap::new(),
            files: BTreeSet::new(),
            complete: true,
            made: BTreeSet::new(),
            buffer: vec![0; 1 << 16],
            workspace: workspace.to_owned(),
        };
        for folder in watched {
            recorder.add(folder.as_str());
        }
        // Walking opened the folders themselves.
        recorder.take_in();
        recorder.files.clear();
        Ok(recorder)
    }

    fn add(&mut self, folder: &str) {
        let root = self.workspace.join(folder);
        let mask = WatchMask::OPEN
            | WatchMask::CREATE
            | WatchMask::MOVED_TO
            | WatchMask::ONLYDIR
            | WatchMask::DONT_FOLLOW
            | WatchMask::EXCL_UNLINK;
        for entry in walkdir::WalkDir::new(root).follow_links(false) {
            let Ok(entry) = entry else {
                self.complete = false;
                continue;
            };
            if !entry.file_type().is_dir() {
                continue;
            }
            let name = entry
                .path()
                .strip_prefix(&self.workspace)
                .ok()
                .and_then(Path::to_str);
            match (name, self.inotify.watches().add(entry.path(), mask)) {
                (Some(name), Ok(watch)) => {
                    self.folders.insert(watch, name.to_owned());
                }
                _ => self.complete = false,
            }
            // A large tree overflows the queue with the walk's own events.
            self.take_in();
        }
    }

    /// Takes in what the kernel has queued, and watches the folders that were made.
    pub fn drain(&mut self) {
        self.take_in();
        for _ in 0..AT_ONCE {
            let Some(folder) = self.made.pop_first() else {
                return;
            };
            self.add(&folder);
        }
    }

    fn take_in(&mut self) {
        let mut buffer = std::mem::take(&mut self.buffer);
        for _ in 0..AT_ONCE {
            let events = match self.inotify.read_events(&mut buffer) {
                Ok(events) => events,
                Err(error) => {
                    self.complete &= error.kind() == ErrorKind::WouldBlock;
                    break;
                }
            };
            for event in events {
                if event.mask.contains(EventMask::Q_OVERFLOW) {
                    self.complete = false;
                } else if event.mask.contains(EventMask::ISDIR) {
                    if event.mask.intersects(EventMask::CREATE | EventMask::MOVED_TO) {
                        // Files may be opened in it before it is watched.
                        self.complete = false;
                        if self.made.len() < WAITING {
                            self.made.extend(self.path(&event.wd, event.name));
                        }
                    }
                } else if event.mask.contains(EventMask::OPEN) && event.name.is_some() {
                    match self
                        .path(&event.wd, event.name)
                        .and_then(|path| path.parse().ok())
                    {
                        Some(path) => {
                            self.files.insert(path);
                        }
                        None => self.complete = false,
                    }
                }
            }
        }
        self.buffer = buffer;
    }

    fn path(&self, watch: &WatchDescriptor, name: Option<&std::ffi::OsStr>) -> Option<String> {
        let folder = self.folders.get(watch)?;
        let name = name?.to_str()?;
        Some(if folder.is_empty() {
            name.to_owned()
        } else {
            format!("{folder}/{name}")
        })
    }

    /// Keeps the record in a thread of its own: the kernel's queue overflows
    /// when nobody reads it.
    pub fn in_background(mut self) -> std::io::Result<Recording> {
        let over = Arc::new(AtomicBool::new(false));
        let ending = Arc::clone(&over);
        let thread = std::thread::Builder::new()
            .name("sandbox-opened".to_owned())
            .spawn(move || {
                while !ending.load(Ordering::Relaxed) {
                    let mut waiting = [PollFd::new(self.as_fd(), PollFlags::POLLIN)];
                    // A wait that fails is one that is over.
                    let _ = poll(&mut waiting, PollTimeout::from(LOOK));
                    self.drain();
                }
                self.finish()
            })?;
        Ok(Recording {
            over,
            thread: Some(thread),
        })
    }

    /// The record, once the command has ended.
    pub fn finish(mut self) -> Opened {
        self.drain();
        Opened {
            files: self.files.into_iter().collect(),
            complete: self.complete,
        }
    }
}

/// Longest time in milliseconds between two looks at whether a command is over.
const LOOK: u8 = 20;

/// A record that a thread keeps; the thread ends with it.
#[derive(Debug)]
pub struct Recording {
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<Opened>>,
}

impl Recording {
    /// The record, once the command has ended. Blocks for a moment.
    pub fn finish(mut self) -> Opened {
        self.over.store(true, Ordering::Relaxed);
        let thread = self.thread.take();
        // A thread that broke has no record, which is not a complete one.
        thread.and_then(|thread| thread.join().ok()).unwrap_or_default()
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
    }
}

impl AsFd for Recorder {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.inotify.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_that_come_as_fast_as_they_are_watched_need_no_stack() {
        let place = tempfile::tempdir().unwrap();
        let work = place.path().join("work");
        std::fs::create_dir_all(work.join("kept/x")).unwrap();
        let mut recorder = Recorder::arm(place.path(), &["work".parse().unwrap()]).unwrap();
        let over = Arc::new(AtomicBool::new(false));
        let swapping: Vec<JoinHandle<()>> = (0..2)
            .map(|number| {
                let (over, work) = (Arc::clone(&over), work.clone());
                std::thread::spawn(move || {
                    let (here, there) = (
                        work.join(format!("{number}")),
                        work.join(format!("kept/{number}")),
                    );
                    std::fs::create_dir(&here).unwrap();
                    while !over.load(Ordering::Relaxed) {
                        std::fs::rename(&here, &there).unwrap();
                        std::fs::rename(&there, &here).unwrap();
                    }
                })
            })
            .collect();
        let watching = std::thread::Builder::new()
            .stack_size(128 << 10)
            .spawn(move || {
                // Not before the folders are on their way.
                while recorder.complete {
                    recorder.drain();
                }
                for _ in 0..40 {
                    recorder.drain();
                }
                recorder.finish()
            })
            .unwrap();
        let opened = watching.join().unwrap();
        over.store(true, Ordering::Relaxed);
        for thread in swapping {
            thread.join().unwrap();
        }
        assert!(
            !opened.complete,
            "what came while it was not watched is not known"
        );
    }
}
