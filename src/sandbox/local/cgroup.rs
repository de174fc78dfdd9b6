//! Limits over a whole process tree, where the engine may make cgroups.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

const MOUNT: &str = "/sys/fs/cgroup";
/// What every cgroup of ours is called, before the run and a number.
const PREFIX: &str = "reprise-";
/// The helper's own two processes.
const HELPERS: u64 = 2;

/// The folders of one execution's cgroup: one for version 2, one for each
/// controller for version 1. Removed when dropped.
#[derive(Debug)]
pub struct Cgroup {
    memory: PathBuf,
    pids: PathBuf,
    unified: bool,
}

impl Cgroup {
    /// Makes a cgroup that holds the tree to `memory` bytes and `processes`;
    /// `None` where this user cannot.
    pub fn make(label: &str, memory: u64, processes: u64) -> Option<Self> {
        if !nix::unistd::geteuid().is_root() {
            return None;
        }
        let processes = processes.saturating_add(HELPERS).to_string();
        let memory = memory.to_string();
        for [own_memory, own_pids] in parents() {
            let name = format!("{PREFIX}{label}");
            let made = Self {
                memory: own_memory.join(&name),
                pids: own_pids.join(&name),
                unified: own_memory == own_pids,
            };
            if made.set(&memory, &processes).is_ok() {
                return Some(made);
            }
        }
        None
    }

    fn set(&self, memory: &str, processes: &str) -> std::io::Result<()> {
        for folder in self.folders() {
            fs::create_dir(&folder)?;
        }
        let (limit, swap) = if self.unified {
            ("memory.max", ("memory.swap.max", "0"))
        } else {
            ("memory.limit_in_bytes", ("memory.memsw.limit_in_bytes", memory))
        };
        existing(&self.memory.join(limit), memory)?;
        // Kernels without swap accounting have no such file.
        let _ = existing(&self.memory.join(swap.0), swap.1);
        existing(&self.pids.join("pids.max"), processes)
    }

    /// The folders that the tree's first process joins.
    pub fn folders(&self) -> Vec<PathBuf> {
        if self.unified {
            vec![self.memory.clone()]
        } else {
            vec![self.memory.clone(), self.pids.clone()]
        }
    }

    /// How many processes the kernel killed for want of memory.
    pub fn killed(&self) -> u64 {
        let file = if self.unified {
            "memory.events"
        } else {
            "memory.oom_control"
        };
        fs::read_to_string(self.memory.join(file))
            .ok()
            .and_then(|text| {
                text.lines()
                    .find_map(|line| line.strip_prefix("oom_kill "))
                    .and_then(|count| count.trim().parse().ok())
            })
            .unwrap_or(0)
    }

    /// The most memory that was in use, in bytes.
    pub fn peak(&self) -> Option<u64> {
        let file = if self.unified {
            "memory.peak"
        } else {
            "memory.max_usage_in_bytes"
        };
        fs::read_to_string(self.memory.join(file))
            .ok()?
            .trim()
            .parse()
            .ok()
    }
}

impl Drop for Cgroup {
    fn drop(&mut self) {
        for folder in self.folders() {
            end(&folder);
        }
    }
}

/// Writes to a file of the kernel; a missing one is an error, never made.
fn existing(path: &Path, text: &str) -> std::io::Result<()> {
    use std::io::Write as _;
    fs::OpenOptions::new()
        .write(true)
        .open(path)?
        .write_all(text.as_bytes())
}

/// Folders in which a cgroup may be made: memory's and pids', best first.
fn parents() -> Vec<[PathBuf; 2]> {
    let own = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let at = |mount: PathBuf, path: &str| {
        let below = mount.join(path.trim_start_matches('/'));
        if below.is_dir() { below } else { mount }
    };
    if Path::new(MOUNT).join("cgroup.controllers").exists() {
        let path = own
            .lines()
            .find_map(|line| line.strip_prefix("0::"))
            .unwrap_or_default();
        // A cgroup that holds processes cannot limit its children, so those above it serve too.
        return at(MOUNT.into(), path)
            .ancestors()
            .take_while(|folder| folder.starts_with(MOUNT))
            .map(|folder| [folder.to_owned(), folder.to_owned()])
            .collect();
    }
    let find = |controller: &str| {
        own.lines().find_map(|line| {
            let mut parts = line.splitn(3, ':').skip(1);
            let named = parts.next()?.split(',').any(|name| name == controller);
            let path = parts.next()?;
            named.then(|| at(Path::new(MOUNT).join(controller), path))
        })
    };
    find("memory")
        .zip(find("pids"))
        .map(|(memory, pids)| vec![[memory, pids]])
        .unwrap_or_default()
}

/// Kills what is left in a cgroup and removes it.
fn end(folder: &Path) {
    for _ in 0..200 {
        let left = fs::read_to_string(folder.join("cgroup.procs")).unwrap_or_default();
        for process in left.lines().filter_map(|line| line.parse().ok()) {
            let _ = nix::sys::signal::kill(
                nix::unistd::Pid::from_raw(process),
                nix::sys::signal::Signal::SIGKILL,
            );
        }
        match fs::remove_dir(folder) {
            Err(error) if error.raw_os_error() == Some(nix::libc::EBUSY) => {
                std::thread::sleep(Duration::from_millis(2));
            }
            _ => return,
        }
    }
}

/// Ends every cgroup whose label begins with `label`.
pub fn sweep(label: &str) {
    let start = format!("{PREFIX}{label}");
    for folder in parents().into_iter().flatten() {
        let Ok(entries) = fs::read_dir(folder) else {
            continue;
        };
        for entry in entries.flatten() {
            if entry.file_name().to_string_lossy().starts_with(&start) {
                end(&entry.path());
            }
        }
    }
}
