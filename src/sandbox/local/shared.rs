//! The shared context of local executions and builds: settings, folders, tier.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use nix::unistd::geteuid;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::output::Sink;
use super::policy::{Bind, Policy, PolicyNetwork, Report};
use super::scratch::Scratch;
use super::settings::LocalSettings;
use super::supervise::{ProcessStop, Watch, watch};
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

    /// Whether a command runs confined.
    ///
    /// # Errors
    /// Why none does.
    pub fn probe(&self) -> Result<(), String> {
        match self.ask(&["true".to_owned()], Vec::new())? {
            (Report::Exited(0), _) => Ok(()),
            (Report::Failed(why), _) => Err(why),
            (other, _) => Err(format!("`true` ended as {other:?}")),
        }
    }

    /// Runs a short command of our own, confined, and returns what it printed.
    ///
    /// # Errors
    /// A folder that cannot be made, or a command that was not confined, failed or took more than a
    /// minute.
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
                network: PolicyNetwork::None,
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
        if watched.stop == Some(ProcessStop::TimedOut) {
            return Err(format!("`{}` did not answer within a minute", command.join(" ")));
        }
        let text = std::fs::read(&answer).map_err(|error| error.to_string())?;
        Ok((watched.report, String::from_utf8_lossy(&text).into_owned()))
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
