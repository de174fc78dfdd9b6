//! The local back end as a [`Sandbox`].

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use async_trait::async_trait;
use nix::unistd::geteuid;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::build::{self, Plan};
use super::cgroup::Cgroup;
use super::execute::execute;
use super::installed::Packages;
use super::interpreter::Interpreter;
use super::output::Sink;
use super::policy::{Bind, Policy, Report};
use super::scratch::{self, Scratch};
use super::supervise::{Stop, Watch, watch};
use crate::domain::digest::Digest;
use crate::domain::execution::{BuildFailure, Environment, EnvironmentSpec, Tier};
use crate::domain::ids::RunId;
use crate::sandbox::contract::{Ended, Execution, Lines, Sandbox, SandboxError};
use crate::sandbox::disk::Disks;
use crate::sandbox::failure::infrastructure;
use crate::sandbox::in_use::InUse;
use crate::sandbox::inside;

/// How the local sandbox is set up.
#[derive(Debug, Clone)]
pub struct LocalSettings {
    /// A binary that calls [`super::helper::entry::main`] when its first
    /// argument is [`super::helper::entry::ARGUMENT`]; the engine's own, as a rule.
    pub helper: PathBuf,
    /// The folder for environments, which all runs share.
    pub cache: PathBuf,
    /// The folder for short-lived private folders.
    pub scratch: PathBuf,
    /// The Python to make environments with; `None` looks along `PATH`.
    pub python: Option<PathBuf>,
    /// The operator's environment. Only `PATH` and `HOME`, to find Python, and
    /// what tells pip about indexes, certificates and proxies, is used.
    pub operator: BTreeMap<String, String>,
    /// The tier to use; `None` takes the best that works.
    pub tier: Option<Tier>,
    /// Longest time for a build, and longest time in which it may be silent.
    pub build: Duration,
    pub build_silence: Duration,
}

impl LocalSettings {
    /// Settings with everything below `cache`, an hour for a build and ten
    /// minutes of silence.
    pub fn new(helper: impl Into<PathBuf>, cache: impl Into<PathBuf>) -> Self {
        let cache = cache.into();
        Self {
            helper: helper.into(),
            scratch: cache.join("scratch"),
            cache,
            python: None,
            operator: BTreeMap::new(),
            tier: None,
            build: Duration::from_secs(3600),
            build_silence: Duration::from_secs(600),
        }
    }
}

/// Runs code on this machine, in namespaces or under Landlock.
#[derive(Debug, Clone)]
pub struct LocalSandbox {
    shared: Arc<Shared>,
}

/// What every execution and build needs to know.
#[derive(Debug)]
pub struct Shared {
    pub helper: PathBuf,
    pub cache: PathBuf,
    pub scratch: PathBuf,
    pub settings: LocalSettings,
    tier: Tier,
    /// Nobody cleans the cache while this sandbox is there.
    _in_use: InUse,
    python: OnceLock<Result<Interpreter, BuildFailure>>,
    r: OnceLock<Result<Packages, BuildFailure>>,
}

impl LocalSandbox {
    /// Tries the tiers on this machine, best first, by running `true` in them.
    ///
    /// # Errors
    /// [`SandboxError::Unavailable`] when none works; code never runs unconfined.
    pub fn detect(settings: LocalSettings) -> Result<Self, SandboxError> {
        let tiers = match settings.tier {
            Some(Tier::Docker) => {
                return Err(SandboxError::Unavailable(
                    "The local sandbox cannot run containers: choose the Docker sandbox for that.".to_owned(),
                ));
            }
            Some(tier) => vec![tier],
            None => vec![Tier::Namespaces, Tier::Landlock],
        };
        let folder = |path: &PathBuf| {
            std::fs::create_dir_all(path)
                .and_then(|()| path.canonicalize())
                .map_err(|error| {
                    SandboxError::Unavailable(format!(
                        "The sandbox needs the folder {}, which cannot be made: {error}. Name another one.",
                        path.display()
                    ))
                })
        };
        let (cache, scratch) = (folder(&settings.cache)?, folder(&settings.scratch)?);
        let mut reasons = Vec::new();
        for tier in tiers {
            let shared = Shared {
                helper: settings.helper.clone(),
                cache: cache.clone(),
                scratch: scratch.clone(),
                settings: settings.clone(),
                tier,
                _in_use: InUse::share(&cache).map_err(|error| {
                    SandboxError::Unavailable(format!(
                        "The cache {} cannot be used: {error}. Name another one by REPRISE_CACHE.",
                        cache.display()
                    ))
                })?,
                python: OnceLock::new(),
                r: OnceLock::new(),
            };
            match shared.probe() {
                Ok(()) => {
                    return Ok(Self {
                        shared: Arc::new(shared),
                    });
                }
                Err(why) => reasons.push(format!("{tier:?}: {why}")),
            }
        }
        Err(SandboxError::Unavailable(format!(
            "Code cannot be confined on this machine ({}). Allow unprivileged user namespaces, use Linux 5.13 \
             or later with Landlock enabled, or choose the Docker sandbox.",
            reasons.join("; ")
        )))
    }
}

impl LocalSandbox {
    /// Whether memory and processes can be limited over a whole tree here.
    pub fn makes_cgroups(&self) -> bool {
        Cgroup::make(&format!("probe-{}", std::process::id()), 64 << 20, 8).is_some()
    }
}

impl Shared {
    /// Whether the tier makes namespaces.
    pub fn namespaces(&self) -> bool {
        self.tier == Tier::Namespaces
    }

    /// The user to become, when the engine is root.
    pub fn user(&self, scratch: &Scratch) -> Option<u32> {
        geteuid().is_root().then_some(scratch.user)
    }

    /// A limit for the kernel's count of this user's processes and threads. Only
    /// where the user is shared with the operator do others count, too.
    pub fn process_limit(&self, wanted: u64) -> u64 {
        if self.namespaces() || geteuid().is_root() {
            wanted.saturating_add(1)
        } else {
            wanted.saturating_add(others())
        }
    }

    fn probe(&self) -> Result<(), String> {
        match self.ask(&["true".to_owned()], Vec::new())? {
            (Report::Exited(0), _) => Ok(()),
            (Report::Failed(why), _) => Err(why),
            (other, _) => Err(format!("`true` ended as {other:?}")),
        }
    }

    /// Runs a short command of our own, confined, and returns what it printed.
    pub fn ask(&self, command: &[String], binds: Vec<Bind>) -> Result<(Report, String), String> {
        let scratch = Scratch::make(&self.scratch, "questions")
            .map_err(|error| format!("no folder can be made below {}: {error}", self.scratch.display()))?;
        let user = self.user(&scratch);
        if let Some(user) = user {
            crate::sandbox::ownership::own_all(&scratch.private(), user, user);
        }
        let answer = scratch.file("answer");
        let file = std::fs::File::create(&answer).map_err(|error| error.to_string())?;
        let (silent, _) = mpsc::channel(1);
        let temporary = if self.namespaces() {
            "/tmp".into()
        } else {
            scratch.private()
        };
        let watched = watch(Watch {
            helper: self.helper.clone(),
            policy: Policy {
                namespaces: self.namespaces(),
                network: false,
                command: command.to_vec(),
                directory: temporary.clone(),
                variables: inside::variables(None, &temporary, &BTreeMap::new()),
                binds,
                private: scratch.private(),
                temporary: 64 << 20,
                user,
                data: Some(4 << 30),
                processes: Some(self.process_limit(64)),
                file: 64 << 20,
                cgroups: Vec::new(),
            },
            scratch: &scratch,
            stdout: Sink::File { file, cap: 8 << 20 },
            stderr: Sink::Lines(silent),
            total: Duration::from_secs(60),
            idle: None,
            tree: None,
            cgroup: None,
            disks: Disks::default(),
            recorder: None,
            cancel: CancellationToken::new(),
        })?;
        if watched.stop == Some(Stop::TimedOut) {
            return Err(format!("`{}` did not answer within a minute", command.join(" ")));
        }
        let text = std::fs::read(&answer).map_err(|error| error.to_string())?;
        Ok((watched.report, String::from_utf8_lossy(&text).into_owned()))
    }

    /// The Python to make environments with, found once.
    pub fn python(&self) -> Result<&Interpreter, BuildFailure> {
        self.python
            .get_or_init(|| Interpreter::find(self))
            .as_ref()
            .map_err(Clone::clone)
    }

    /// R and its packages, listed once.
    pub fn r(&self) -> Result<&Packages, BuildFailure> {
        self.r
            .get_or_init(|| Packages::list(self))
            .as_ref()
            .map_err(Clone::clone)
    }
}

/// Processes and threads that this user has already.
fn others() -> u64 {
    use std::os::unix::fs::MetadataExt as _;
    let own = geteuid().as_raw();
    let Ok(entries) = std::fs::read_dir("/proc") else {
        return 0;
    };
    entries
        .flatten()
        .filter(|entry| entry.metadata().is_ok_and(|found| found.uid() == own))
        .filter_map(|entry| std::fs::read_dir(entry.path().join("task")).ok())
        .map(|tasks| tasks.count() as u64)
        .sum()
}

#[async_trait]
impl Sandbox for LocalSandbox {
    fn tier(&self) -> Tier {
        self.shared.tier
    }

    async fn resolve(&self, spec: &EnvironmentSpec) -> Result<Digest, BuildFailure> {
        Ok(Plan::of(&self.shared, spec)?.id)
    }

    async fn prepare(
        &self,
        spec: &EnvironmentSpec,
        cancel: &CancellationToken,
        progress: Lines<'_>,
    ) -> Result<Environment, BuildFailure> {
        let (sender, mut lines) = mpsc::channel(256);
        let cancel = cancel.child_token();
        // A build whose caller is gone ends, too.
        let _guard = cancel.clone().drop_guard();
        let (shared, spec) = (Arc::clone(&self.shared), spec.clone());
        let work = tokio::task::spawn_blocking(move || {
            let plan = Plan::of(&shared, &spec)?;
            build::prepare(&shared, &plan, &cancel, &sender)
        });
        while let Some(line) = lines.recv().await {
            progress(&line);
        }
        work.await
            .map_err(|error| infrastructure(format!("The build broke: {error}."), String::new()))?
    }

    async fn execute(
        &self,
        execution: &Execution,
        cancel: &CancellationToken,
    ) -> Result<Ended, SandboxError> {
        let cancel = cancel.child_token();
        // A command whose caller is gone ends, too.
        let _guard = cancel.clone().drop_guard();
        let (shared, execution) = (Arc::clone(&self.shared), execution.clone());
        tokio::task::spawn_blocking(move || execute(&shared, &execution, cancel))
            .await
            .map_err(|error| SandboxError::Failed(error.to_string()))?
    }

    async fn sweep(&self, run: &RunId) -> Result<(), SandboxError> {
        let (shared, name) = (Arc::clone(&self.shared), scratch::name(run));
        tokio::task::spawn_blocking(move || scratch::sweep(&shared.scratch, &name))
            .await
            .map_err(|error| SandboxError::Failed(error.to_string()))?
            .map_err(|error| {
                SandboxError::Failed(format!("the remains of run {run} cannot be removed: {error}"))
            })
    }
}
