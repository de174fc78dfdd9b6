//! The shared context of local executions and builds: settings, folders, tier.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use nix::unistd::geteuid;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::bind_mounts::closed_above;
use super::output::Sink;
use super::policy::{Bind, Policy, PolicyNetwork, Report};
use super::scratch::Scratch;
use super::settings::LocalSettings;
use super::supervise::{ProcessStop, Watch, WatchError, watch};
use crate::domain::execution::Tier;
use crate::sandbox::disk::Disks;
use crate::sandbox::in_use::InUse;
use crate::sandbox::inside;

/// The context that every execution and build shares.
#[derive(Debug)]
pub struct Shared {
    pub helper: PathBuf,
    pub cache: PathBuf,
    pub scratch: PathBuf,
    pub settings: LocalSettings,
    pub tier: Tier,
    /// Nobody cleans the cache while this sandbox is there.
    pub(super) _in_use: InUse,
}

/// The network, the variables and the bounds of a command of our own.
pub struct Reach {
    pub network: PolicyNetwork,
    pub variables: BTreeMap<String, String>,
    /// The longest that it may take.
    pub total: Duration,
    /// Bytes that it may write.
    pub disk: u64,
    pub cancel: CancellationToken,
}

impl Default for Reach {
    fn default() -> Self {
        Self {
            network: PolicyNetwork::None,
            variables: BTreeMap::new(),
            total: Duration::from_secs(60),
            disk: 64 << 20,
            cancel: CancellationToken::new(),
        }
    }
}

/// The answer of a short command of our own.
#[derive(Debug)]
pub struct ConfinedAnswer {
    pub report: Report,
    /// What it printed.
    pub text: String,
}

/// The error of a short command of our own that gave no answer.
#[derive(Debug, thiserror::Error)]
pub enum NoConfinedAnswer {
    #[error("no folder can be made below {}: {error}", scratch.display())]
    Folder { scratch: PathBuf, error: io::Error },
    /// The file of what it prints.
    #[error(transparent)]
    File(io::Error),
    #[error(transparent)]
    Watch(#[from] WatchError),
    #[error("`{command}` did not answer within {seconds} s")]
    Late { command: String, seconds: u64 },
    #[error("it was cancelled")]
    Cancelled,
}

/// The reason for which no command runs confined.
#[derive(Debug, thiserror::Error)]
pub enum Unconfined {
    #[error(transparent)]
    NoAnswer(#[from] NoConfinedAnswer),
    /// The helper's own words.
    #[error("{0}")]
    Helper(String),
    /// As before, with a likely reason.
    #[error(
        "{why}: nobody but its owner can enter {folder}, and code runs as another user; set REPRISE_CACHE to a folder elsewhere",
        folder = folder.display()
    )]
    Closed { why: String, folder: PathBuf },
    #[error("`true` ended as {0:?}")]
    Ended(Report),
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

    /// A folder above the scratch folder that code cannot pass, where it becomes another user and
    /// keeps the host's files.
    fn closed_folder(&self) -> Option<PathBuf> {
        if self.namespaces() || !geteuid().is_root() {
            return None;
        }
        closed_above(&self.scratch)
    }

    /// Whether a command runs confined.
    ///
    /// # Errors
    /// Why none does.
    pub fn probe(&self) -> Result<(), Unconfined> {
        match self.ask(&["true".to_owned()], Vec::new())?.report {
            Report::Exited(0) => Ok(()),
            Report::Failed(why) => Err(match self.closed_folder() {
                Some(folder) => Unconfined::Closed { why, folder },
                None => Unconfined::Helper(why),
            }),
            other => Err(Unconfined::Ended(other)),
        }
    }

    /// Runs a short command of our own, confined, and returns what it printed.
    ///
    /// # Errors
    /// A folder that cannot be made, or a command that was not confined, failed or took more than a
    /// minute.
    pub fn ask(&self, command: &[String], binds: Vec<Bind>) -> Result<ConfinedAnswer, NoConfinedAnswer> {
        self.ask_as(command, binds, None)
    }

    /// The same, as a user that is named where the engine is root.
    ///
    /// # Errors
    /// As of [`Self::ask`].
    pub fn ask_as(
        &self,
        command: &[String],
        binds: Vec<Bind>,
        named: Option<u32>,
    ) -> Result<ConfinedAnswer, NoConfinedAnswer> {
        self.ask_with(command, binds, named, Reach::default())
    }

    /// The same, with what it has beyond the system's files.
    ///
    /// # Errors
    /// As of [`Self::ask`].
    pub fn ask_with(
        &self,
        command: &[String],
        binds: Vec<Bind>,
        named: Option<u32>,
        reach: Reach,
    ) -> Result<ConfinedAnswer, NoConfinedAnswer> {
        let scratch =
            Scratch::make(&self.scratch, "questions").map_err(|error| NoConfinedAnswer::Folder {
                scratch: self.scratch.clone(),
                error,
            })?;
        let user = self.user(&scratch).map(|user| named.unwrap_or(user));
        if let Some(user) = user {
            crate::sandbox::ownership::own_all(&scratch.private(), user, user);
        }
        let answer = scratch.file("answer");
        let file = std::fs::File::create(&answer).map_err(NoConfinedAnswer::File)?;
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
                network: reach.network,
                command: command.to_vec(),
                directory: temporary.clone(),
                variables: inside::variables(None, &temporary, &reach.variables),
                binds,
                private: scratch.private(),
                temporary: reach.disk,
                user,
                data: Some(4 << 30),
                processes: Some(self.process_limit(64)),
                file: reach.disk,
                cgroups: Vec::new(),
            },
            scratch: &scratch,
            stdout: Sink::File { file, cap: 8 << 20 },
            stderr: Sink::Lines(silent),
            total: reach.total,
            idle: None,
            tree: None,
            cgroup: None,
            disks: Disks::default(),
            recorder: None,
            cancel: reach.cancel,
        })?;
        match watched.stop {
            Some(ProcessStop::TimedOut) => {
                return Err(NoConfinedAnswer::Late {
                    command: command.first().cloned().unwrap_or_default(),
                    seconds: reach.total.as_secs(),
                });
            }
            Some(ProcessStop::Cancelled) => return Err(NoConfinedAnswer::Cancelled),
            _ => {}
        }
        let text = std::fs::read(&answer).map_err(NoConfinedAnswer::File)?;
        Ok(ConfinedAnswer {
            report: watched.report,
            text: String::from_utf8_lossy(&text).into_owned(),
        })
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
