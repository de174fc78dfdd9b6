//! Which files below some folders were opened, by inotify.

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
    buffer: Vec<u8>,
    workspace: std::path::PathBuf,
}

impl Recorder {
    /// Watches `watched` below `workspace`, with every folder in them.
    pub fn arm(workspace: &Path, watched: &[WorkspacePath]) -> std::io::Result<Self> {
        let mut recorder = Self {
            inotify: Inotify::init()?,
            folders: HashMap::new(),
            files: BTreeSet::new(),
            complete: true,
            buffer: vec![0; 1 << 16],
            workspace: workspace.to_owned(),
        };
        for folder in watched {
            recorder.add(folder.as_str());
        }
        // Walking opened the folders themselves.
        recorder.drain();
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
            self.drain();
        }
    }

    /// Takes in what the kernel has queued.
    pub fn drain(&mut self) {
        loop {
            let mut buffer = std::mem::take(&mut self.buffer);
            let mut made = Vec::new();
            let more = match self.inotify.read_events(&mut buffer) {
                Ok(events) => {
                    for event in events {
                        if event.mask.contains(EventMask::Q_OVERFLOW) {
                            self.complete = false;
                        } else if event.mask.contains(EventMask::ISDIR) {
                            if event.mask.intersects(EventMask::CREATE | EventMask::MOVED_TO) {
                                made.push(self.path(&event.wd, event.name));
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
                    true
                }
                Err(error) => {
                    self.complete &= error.kind() == ErrorKind::WouldBlock;
                    false
                }
            };
            self.buffer = buffer;
            for folder in made {
                // Files may have been opened in it before it was watched.
                self.complete = false;
                if let Some(folder) = folder {
                    self.add(&folder);
                }
            }
            if !more {
                return;
            }
        }
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
