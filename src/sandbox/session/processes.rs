//! The processes of a session, seen from outside: by looking at the process table of this machine over and
//! over, so that what a program says of itself plays no part in it.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::domain::seen_command::SeenCommand;
use crate::sandbox::processor_share::elapsed;

/// Time between two looks at which process is the newest.
const LOOK: Duration = Duration::from_millis(1);
/// Looks between two at every process that is known, which may have become another program, as a shell becomes the
/// last command that it is given.
const ALL: u32 = 5;
/// The priority of the thread that looks, where this program may raise it: what runs for a few milliseconds on a busy
/// machine has to be seen as well.
const PRIORITY: i32 = -20;
/// How long the shell may take to be found, by its share of the processors.
const FINDING: Duration = Duration::from_secs(2);
/// Commands that are kept, and letters of one.
const MOST: usize = 20_000;
const LETTERS: usize = 2_000;
/// Numbers of processes that are tried one by one; beyond, the table is listed.
const ONE_BY_ONE: u32 = 4_000;

/// The sight of a session's processes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProcessSight {
    /// Why nothing could be seen, as a clause.
    NotObserved(String),
    Seen(SeenProcesses),
}

impl ProcessSight {
    /// The same with a word in the place of a secret.
    pub fn without(mut self, secret: &str, word: &str) -> Self {
        if let Self::Seen(seen) = &mut self {
            let words = seen.commands.iter_mut().flat_map(|command| &mut command.words);
            for found in words.filter(|found| found.contains(secret)) {
                *found = found.replace(secret, word);
            }
        }
        self
    }
}

/// The commands of a session below its shell.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SeenProcesses {
    /// In the order in which they were seen; those that live less than a look or two can be missing.
    pub commands: Vec<SeenCommand>,
    /// Commands beyond those that are kept.
    pub further: u64,
    /// The longest time between two looks.
    pub longest_gap: Duration,
}

/// A record in the making; it ends with this value.
pub struct ProcessRecording {
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<ProcessSight>>,
}

impl ProcessRecording {
    /// Records the processes of the session with a mark, from here on. Blocks for a moment.
    pub fn start(mark: &str) -> Self {
        let (ready, begun) = mpsc::channel();
        let over = Arc::new(AtomicBool::new(false));
        let (ending, mark) = (Arc::clone(&over), mark.to_owned());
        let thread = std::thread::Builder::new()
            .name("sandbox-processes".to_owned())
            .spawn(move || match Table::find(&mark, &ending) {
                Ok(mut table) => {
                    // Nobody who waits no longer has to be told.
                    let _ = ready.send(());
                    raise_priority();
                    let mut last = Instant::now();
                    while !ending.load(Ordering::Relaxed) {
                        table.look();
                        table.seen.longest_gap = table.seen.longest_gap.max(last.elapsed());
                        last = Instant::now();
                        std::thread::sleep(LOOK);
                    }
                    ProcessSight::Seen(table.seen)
                }
                Err(why) => ProcessSight::NotObserved(why),
            });
        // A table that is not found ends the wait as well.
        let _ = begun.recv();
        Self {
            over,
            thread: thread.ok(),
        }
    }

    /// The record, once the session's program has ended. Blocks for a moment.
    pub fn finish(mut self) -> ProcessSight {
        self.over.store(true, Ordering::Relaxed);
        let thread = self.thread.take();
        let sight = thread.and_then(|thread| thread.join().ok());
        sight.unwrap_or_else(|| ProcessSight::NotObserved("the thread that looks could not run".to_owned()))
    }
}

impl Drop for ProcessRecording {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
    }
}

/// A process of the session.
struct KnownProcess {
    /// Its words as they were seen last.
    words: Vec<String>,
    /// Its command in the record; of one that has only been forked, that of its parent.
    command: Option<usize>,
}

/// The process table, as far as it is the session's.
struct Table {
    /// The namespace of the session's processes.
    namespace: PathBuf,
    /// Processes that serve the shell, and the shell itself.
    serving: Vec<u32>,
    known: HashMap<u32, KnownProcess>,
    newest: u32,
    looks: u32,
    seen: SeenProcesses,
}

impl Table {
    fn find(mark: &str, over: &AtomicBool) -> Result<Self, String> {
        if mark.is_empty() {
            return Err("its processes have no mark".to_owned());
        }
        let begin = Instant::now();
        loop {
            let pids = pids().map_err(|error| format!("the process table cannot be read ({error})"))?;
            let is_marked = |pid: &u32| words(*pid).iter().any(|word| word.contains(mark));
            let serving: Vec<u32> = pids.into_iter().filter(is_marked).collect();
            // The engine's own processes that name the mark are of another namespace than the shell.
            let own = namespace(std::process::id());
            let inside = serving
                .iter()
                .find_map(|pid| namespace(*pid).filter(|found| Some(found) != own.as_ref()));
            if let Some(namespace) = inside {
                return Ok(Self {
                    serving: serving
                        .into_iter()
                        .filter(|pid| self::namespace(*pid).as_ref() == Some(&namespace))
                        .collect(),
                    namespace,
                    known: HashMap::new(),
                    newest: newest().unwrap_or_default(),
                    looks: 0,
                    seen: SeenProcesses::default(),
                });
            }
            if over.load(Ordering::Relaxed) || elapsed(begin) > FINDING {
                return Err("the sandbox's processes are in no table that the engine can read".to_owned());
            }
            std::thread::sleep(LOOK * 10);
        }
    }

    fn look(&mut self) {
        self.looks = self.looks.wrapping_add(1);
        let newest = newest().unwrap_or(self.newest);
        let before = std::mem::replace(&mut self.newest, newest);
        if newest != before {
            match newest.checked_sub(before).filter(|count| *count <= ONE_BY_ONE) {
                Some(_) => (before..newest).for_each(|pid| self.take_in(pid + 1)),
                // Numbers begin again at the end of their range.
                None => pids()
                    .unwrap_or_default()
                    .into_iter()
                    .for_each(|pid| self.take_in(pid)),
            }
        }
        let everything = self.looks.is_multiple_of(ALL);
        let due: Vec<u32> = self
            .known
            .iter()
            .filter(|(_, known)| everything || known.command.is_none())
            .map(|(pid, _)| *pid)
            .collect();
        for pid in due {
            self.look_again(pid);
        }
    }

    /// Takes a process in, where it is the session's and no part of what serves it.
    fn take_in(&mut self, pid: u32) {
        if self.known.contains_key(&pid) || self.serving.contains(&pid) {
            return;
        }
        let Some(parent) = parent(pid) else { return };
        if namespace(pid).as_ref() != Some(&self.namespace) {
            return;
        }
        let is_served = self.serving.contains(&parent);
        let parents = self.known.get(&parent);
        let inherited = parents.map(|parent| parent.words.clone());
        let known = KnownProcess {
            // What has only been forked has the words of its parent.
            words: inherited.unwrap_or_else(|| if is_served { words(parent) } else { Vec::new() }),
            command: None,
        };
        self.known.insert(pid, known);
        self.look_again(pid);
    }

    /// Looks whether a process has become another program, or is gone.
    fn look_again(&mut self, pid: u32) {
        let now = words(pid);
        if now.is_empty() {
            if parent(pid).is_none() {
                self.known.remove(&pid);
            }
            return;
        }
        let parent = parent(pid).and_then(|parent| self.known.get(&parent)?.command);
        let Some(known) = self.known.get_mut(&pid) else {
            return;
        };
        if known.words == now {
            return;
        }
        // One that becomes another program goes on where it was.
        let parent = known.command.or(parent);
        known.words.clone_from(&now);
        if self.seen.commands.len() >= MOST {
            self.seen.further += 1;
            return;
        }
        known.command = Some(self.seen.commands.len());
        self.seen.commands.push(SeenCommand {
            words: capped(now),
            parent,
        });
    }
}

/// Has this thread run before others, where it may.
fn raise_priority() {
    let thread = rustix::process::Pid::from_raw(nix::unistd::gettid().as_raw());
    // Who may not raise it looks as often as the machine allows, and the longest gap tells.
    let _ = rustix::process::setpriority_process(thread, PRIORITY);
}

/// Words within what is kept.
fn capped(words: Vec<String>) -> Vec<String> {
    let mut left = LETTERS;
    let mut kept = Vec::new();
    for word in words {
        let end = word.floor_char_boundary(left.min(word.len()));
        left -= end;
        let is_cut = end < word.len();
        let mut word = word;
        word.truncate(end);
        if is_cut {
            word.push('…');
        }
        kept.push(word);
        if left == 0 {
            break;
        }
    }
    kept
}

/// The number of the process that was made last.
fn newest() -> Option<u32> {
    let text = fs::read_to_string("/proc/loadavg").ok()?;
    text.split_whitespace().last()?.parse().ok()
}

fn pids() -> io::Result<Vec<u32>> {
    let entries = fs::read_dir("/proc")?.flatten();
    Ok(entries
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .collect())
}

/// The words of a process's command; none of one that is gone.
fn words(pid: u32) -> Vec<String> {
    let bytes = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let words = bytes.split(|byte| *byte == 0);
    let mut words: Vec<String> = words
        .map(|word| String::from_utf8_lossy(word).into_owned())
        .collect();
    // Each word ends in a zero byte.
    words.pop();
    words
}

/// The parent of a process; `None` of one that is gone, and of a thread.
fn parent(pid: u32) -> Option<u32> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let field = |name: &str| -> Option<u32> {
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        line?.trim().parse().ok()
    };
    (field("Tgid:")? == pid).then(|| field("PPid:")).flatten()
}

fn namespace(pid: u32) -> Option<PathBuf> {
    fs::read_link(format!("/proc/{pid}/ns/pid")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_parents_are_those_of_the_process_table() {
        let own = std::process::id();
        assert!(words(own)[0].contains("reprise"), "{:?}", words(own));
        assert!(parent(own).is_some() && namespace(own).is_some());
        assert!(newest().is_some() && pids().unwrap().contains(&own));
        assert!(parent(u32::MAX).is_none() && words(u32::MAX).is_empty());
    }

    #[test]
    fn a_session_that_is_not_there_is_not_observed() {
        let recording = ProcessRecording::start("a mark that no process has");
        assert!(matches!(recording.finish(), ProcessSight::NotObserved(_)));
    }

    #[test]
    fn long_words_are_cut() {
        assert_eq!(capped(vec!["a".to_owned(), "b".to_owned()]), ["a", "b"]);
        let cut = capped(vec!["é".repeat(LETTERS), "b".to_owned()]);
        assert_eq!((cut.len(), cut[0].ends_with('…')), (1, true));
    }
}
