//! Admission of executions: the runs of a process share a machine, and each waits until there is room.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::Notify;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::beneath::NoBeneath;
use super::contract::{Ended, Execution, Lines, NoOpenHosts, Sandbox, SandboxError};
use crate::domain::digest::Digest;
use crate::domain::execution::{BuildFailure, Environment, EnvironmentSpec, Tier};
use crate::domain::ids::RunId;

/// Memory in bytes that is left to everybody else.
const MEMORY_LEFT: u64 = 512 << 20;
/// The part of an execution's limit, in bytes at most, that it is taken to need until it shows.
const FIRST_NEED: u64 = 1 << 30;
/// The time for which that is set aside.
const UNTIL_SHOWN: Duration = Duration::from_secs(10);
/// Space in bytes that is left on the disk of the workspace.
const DISK_LEFT: u64 = 1 << 30;
/// The time between two looks at what is free.
const LOOK: Duration = Duration::from_millis(500);

/// The free memory and disk of a machine in bytes; `None` where they cannot be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FreeRoom {
    pub memory: Option<u64>,
    pub disk: Option<u64>,
}

impl FreeRoom {
    /// What is free on this machine, and on the disk of a folder.
    pub fn here(folder: &Path) -> Self {
        let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
        let kibibytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
        Self {
            memory: kibibytes.map(|kibibytes| kibibytes << 10),
            disk: fs4::available_space(folder).ok(),
        }
    }
}

/// The way to look at what is free, by a folder.
type Look = Box<dyn Fn(&Path) -> FreeRoom + Send + Sync>;

/// Room for the executions of several runs.
pub struct Admission {
    /// Runs with an execution or a session under way, at most.
    most: u32,
    look: Look,
    under_way: Mutex<UnderWay>,
    changed: Notify,
}

/// The executions under way.
#[derive(Debug, Default)]
struct UnderWay {
    /// By run: one that has a session executes beside it.
    runs: BTreeMap<RunId, u32>,
    /// When, and with how much set aside, the latest were let in.
    latest: Vec<(Instant, u64)>,
}

impl UnderWay {
    /// Whether an execution may begin beside these.
    fn has_room(&self, run: &RunId, need: u64, most: u32, free: FreeRoom) -> bool {
        // Who waited for others while holding room could wait for ever.
        if self.runs.is_empty() || self.runs.contains_key(run) {
            return true;
        }
        let promised: u64 = self.latest.iter().map(|(_, need)| need).sum();
        self.runs.len() < most as usize
            && (free.memory).is_none_or(|memory| memory >= MEMORY_LEFT + promised + need)
            && free.disk.is_none_or(|disk| disk >= DISK_LEFT)
    }
}

impl Admission {
    /// With at most so many runs that execute at once, on this machine.
    pub fn new(most: u32) -> Self {
        Self::with_look(most, Box::new(FreeRoom::here))
    }

    fn with_look(most: u32, look: Look) -> Self {
        Self {
            most,
            look,
            under_way: Mutex::default(),
            changed: Notify::new(),
        }
    }

    /// Waits for room; `None` where the wait was cancelled.
    async fn admit(&self, execution: &Execution, cancel: &CancellationToken) -> Option<Admitted<'_>> {
        loop {
            let changed = self.changed.notified();
            if let Some(admitted) = self.admit_at_once(execution) {
                return Some(admitted);
            }
            tokio::select! {
                () = cancel.cancelled() => return None,
                () = changed => {}
                () = tokio::time::sleep(LOOK) => {}
            }
        }
    }

    fn admit_at_once(&self, execution: &Execution) -> Option<Admitted<'_>> {
        let free = (self.look)(&execution.workspace);
        let need = execution.limits.memory.min(FIRST_NEED);
        let mut under_way = self.under_way.lock().unwrap_or_else(PoisonError::into_inner);
        let at = Instant::now();
        under_way.latest.retain(|(then, _)| at - *then < UNTIL_SHOWN);
        if !under_way.has_room(&execution.run, need, self.most, free) {
            return None;
        }
        under_way.latest.push((at, need));
        *under_way.runs.entry(execution.run.clone()).or_default() += 1;
        Some(Admitted {
            admission: self,
            run: execution.run.clone(),
        })
    }
}

/// Room that is given back when this is dropped.
struct Admitted<'a> {
    admission: &'a Admission,
    run: RunId,
}

impl Drop for Admitted<'_> {
    fn drop(&mut self) {
        let under_way = &self.admission.under_way;
        let mut under_way = under_way.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = under_way.runs.get_mut(&self.run) {
            *count -= 1;
            if *count == 0 {
                under_way.runs.remove(&self.run);
            }
        }
        self.admission.changed.notify_waiters();
    }
}

/// A sandbox whose executions wait for room.
pub struct AdmittedSandbox {
    pub inner: Arc<dyn Sandbox>,
    pub admission: Arc<Admission>,
}

#[async_trait]
impl Sandbox for AdmittedSandbox {
    fn tier(&self) -> Tier {
        self.inner.tier()
    }

    fn opens_hosts(&self) -> Result<(), NoOpenHosts> {
        self.inner.opens_hosts()
    }

    fn opens_gateway(&self) -> Result<(), NoOpenHosts> {
        self.inner.opens_gateway()
    }

    async fn shows_beneath(&self, place: &Path) -> Result<(), NoBeneath> {
        self.inner.shows_beneath(place).await
    }

    async fn python_of(&self, spec: &EnvironmentSpec) -> Result<Option<String>, BuildFailure> {
        self.inner.python_of(spec).await
    }

    async fn python_releases(&self, spec: &EnvironmentSpec) -> Result<Vec<String>, BuildFailure> {
        self.inner.python_releases(spec).await
    }

    async fn resolve(&self, spec: &EnvironmentSpec) -> Result<Digest, BuildFailure> {
        self.inner.resolve(spec).await
    }

    async fn prepare(
        &self,
        spec: &EnvironmentSpec,
        cancel: &CancellationToken,
        progress: Lines<'_>,
    ) -> Result<Environment, BuildFailure> {
        self.inner.prepare(spec, cancel, progress).await
    }

    async fn warm_up(&self, environment: &Environment, cancel: &CancellationToken) {
        self.inner.warm_up(environment, cancel).await;
    }

    async fn execute(
        &self,
        execution: &Execution,
        cancel: &CancellationToken,
    ) -> Result<Ended, SandboxError> {
        // A cancelled wait ends as the execution itself does.
        let _admitted = self.admission.admit(execution, cancel).await;
        self.inner.execute(execution, cancel).await
    }

    async fn has_lasting(&self, run: &RunId) -> Result<bool, SandboxError> {
        self.inner.has_lasting(run).await
    }

    async fn sweep(&self, run: &RunId) -> Result<(), SandboxError> {
        self.inner.sweep(run).await
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;
    use crate::domain::workspace_path::WorkspacePath;

    fn run(name: &str) -> RunId {
        RunId::new(name.to_owned())
    }

    fn execution(name: &str) -> Execution {
        let work: WorkspacePath = WorkspacePath::WORK.parse().unwrap();
        let environment = Environment {
            id: Digest::compute(b""),
            versions: BTreeMap::new(),
            location: String::new(),
            built: false,
        };
        Execution::alone(
            run(name),
            environment,
            &["true"],
            Path::new("/"),
            work,
            Path::new(""),
        )
    }

    fn free(memory: u64, disk: u64) -> FreeRoom {
        FreeRoom {
            memory: Some(memory),
            disk: Some(disk),
        }
    }

    #[test]
    fn room_is_of_runs_memory_and_disk_and_one_always_goes() {
        let mut under_way = UnderWay::default();
        let none = free(0, 0);
        let plenty = free(64 << 30, 64 << 30);
        assert!(under_way.has_room(&run("a"), FIRST_NEED, 1, none));
        under_way.runs.insert(run("a"), 1);
        // Its own session holds the room.
        assert!(under_way.has_room(&run("a"), FIRST_NEED, 1, none));
        assert!(!under_way.has_room(&run("b"), FIRST_NEED, 1, plenty));
        assert!(under_way.has_room(&run("b"), FIRST_NEED, 2, plenty));
        let memory = MEMORY_LEFT + FIRST_NEED;
        assert!(under_way.has_room(&run("b"), FIRST_NEED, 2, free(memory, DISK_LEFT)));
        assert!(!under_way.has_room(&run("b"), FIRST_NEED, 2, free(memory - 1, DISK_LEFT)));
        assert!(!under_way.has_room(&run("b"), FIRST_NEED, 2, free(memory, DISK_LEFT - 1)));
        under_way.latest.push((Instant::now(), FIRST_NEED));
        assert!(!under_way.has_room(&run("b"), FIRST_NEED, 2, free(memory, DISK_LEFT)));
        let unknown = FreeRoom {
            memory: None,
            disk: None,
        };
        assert!(under_way.has_room(&run("b"), FIRST_NEED, 2, unknown));
    }

    /// Counts the executions under way, each of which ends when it is told to.
    struct Counting {
        under_way: AtomicU64,
        highest: AtomicU64,
        ends: Notify,
    }

    #[async_trait]
    impl Sandbox for Counting {
        fn tier(&self) -> Tier {
            Tier::Landlock
        }

        async fn resolve(&self, _: &EnvironmentSpec) -> Result<Digest, BuildFailure> {
            Ok(Digest::compute(b""))
        }

        async fn prepare(
            &self,
            _: &EnvironmentSpec,
            _: &CancellationToken,
            _: Lines<'_>,
        ) -> Result<Environment, BuildFailure> {
            unreachable!("nothing is prepared")
        }

        async fn execute(&self, _: &Execution, _: &CancellationToken) -> Result<Ended, SandboxError> {
            let now = self.under_way.fetch_add(1, Ordering::SeqCst) + 1;
            self.highest.fetch_max(now, Ordering::SeqCst);
            self.ends.notified().await;
            self.under_way.fetch_sub(1, Ordering::SeqCst);
            Err(SandboxError::Failed("it ended".to_owned()))
        }

        async fn sweep(&self, _: &RunId) -> Result<(), SandboxError> {
            Ok(())
        }
    }

    #[tokio::test]
    async fn executions_of_other_runs_wait_until_one_has_ended() {
        let counting = Arc::new(Counting {
            under_way: AtomicU64::new(0),
            highest: AtomicU64::new(0),
            ends: Notify::new(),
        });
        let look = Box::new(|_: &Path| free(64 << 30, 64 << 30));
        let sandbox = Arc::new(AdmittedSandbox {
            inner: counting.clone(),
            admission: Arc::new(Admission::with_look(2, look)),
        });
        let cancel = CancellationToken::new();
        let mut going = tokio::task::JoinSet::new();
        for name in ["a", "b", "c", "d", "e"] {
            let (sandbox, cancel) = (sandbox.clone(), cancel.clone());
            going.spawn(async move { sandbox.execute(&execution(name), &cancel).await });
        }
        for left in (0..5).rev() {
            let expected = (left + 1).min(2);
            // Every task has had its turns by then.
            for _ in 0..100 {
                tokio::task::yield_now().await;
            }
            assert_eq!(counting.under_way.load(Ordering::SeqCst), expected);
            counting.ends.notify_one();
            let ended = going.join_next().await.unwrap().unwrap();
            assert!(matches!(ended, Err(SandboxError::Failed(_))), "{ended:?}");
        }
        assert_eq!(counting.highest.load(Ordering::SeqCst), 2);
    }
}
