//! One step of a build: a command, confined, that writes to the new environment alone.

use std::collections::{BTreeMap, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::sync::mpsc::{self, Sender};
use tokio_util::sync::CancellationToken;

use super::bind_mounts;
use super::build_network::{BuildNetwork, BuildSettings};
use super::cgroup::Cgroup;
use super::interpreter::PythonInstallation;
use super::operator_pip::OperatorPip;
use super::output::Sink;
use super::policy::{Bind, Policy, PolicyNetwork, Report};
use super::scratch::Scratch;
use super::shared::Shared;
use super::stopped::stopped;
use super::supervise::{ProcessStop, TreeLimits, Watch, Watched, watch};
use super::uv_settings;
use crate::domain::execution::BuildFailure;
use crate::domain::failure::FailureCause;
use crate::sandbox::disk::Disks;
use crate::sandbox::failure::{infrastructure, last, setup};
use crate::sandbox::inside;
use crate::sandbox::ownership::{INSTALLER, own_all};
use crate::sandbox::removal;

const MEMORY: u64 = 8 << 30;
const PROCESSES: u64 = 512;
const FILE: u64 = 8 << 30;
/// Lines of a build's log that are kept to look for the cause in.
const LOG: usize = 2000;
/// The folder for temporary files, in the folder that a step writes to.
pub const TEMPORARY: &str = ".tmp";

/// The parts that the steps of a build share.
#[derive(Clone, Copy)]
pub struct BuildContext<'a> {
    pub shared: &'a Shared,
    pub interpreter: &'a PythonInstallation,
    pub cancel: &'a CancellationToken,
    pub lines: &'a Sender<String>,
    /// The name of the private folders of its steps.
    pub name: &'a str,
}

/// The program that fetches, in whose words the operator's settings are handed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FetchingProgram {
    /// Fetches uv itself.
    Pip,
    Uv,
}

/// One command of a build.
pub struct Step<'a> {
    pub command: &'a [String],
    /// The folder that it writes to; its temporary files lie in it.
    pub folder: &'a Path,
    /// A folder around that one that outlives the build, such as a cache, which it writes to
    /// besides. Links between the two need a single mount.
    pub cache: Option<&'a Path>,
    /// Further files and folders that it reads.
    pub reads: &'a [PathBuf],
    /// What it fetches with; without any it has no network.
    pub fetches: Option<FetchingProgram>,
}

/// The end of a step.
pub struct StepEnded {
    pub report: Report,
    /// The last of what it printed.
    pub log: Vec<String>,
}

fn broken(error: impl std::fmt::Display) -> BuildFailure {
    infrastructure(format!("The sandbox failed: {error}."), String::new())
}

impl BuildContext<'_> {
    /// Runs one step. The files that it leaves belong to the caller, but beside a cache, whose
    /// files stay with a user of their own.
    ///
    /// # Errors
    /// A step that could not be confined, or that had to be stopped.
    pub fn run(&self, step: &Step<'_>) -> Result<StepEnded, BuildFailure> {
        let shared = self.shared;
        let scratch = Scratch::make(&shared.scratch, self.name).map_err(broken)?;
        // Packages can be large: they pass through the disk, not through memory.
        let temporary = step.folder.join(TEMPORARY);
        fs::create_dir(&temporary).map_err(broken)?;
        let mut binds = self.interpreter.binds();
        let mut variables = inside::variables(None, &temporary, &BTreeMap::new());
        let (network, way) = match step.fetches {
            Some(program) => self.network(program, &temporary, &mut variables, &mut binds)?,
            None => (PolicyNetwork::None, None),
        };
        binds.extend(step.reads.iter().map(Bind::same));
        let written = step.cache.unwrap_or(step.folder);
        binds.push(Bind {
            from: written.to_owned(),
            to: written.to_owned(),
            writable: true,
            overlay: None,
        });
        let user = shared.user(&scratch).map(|user| match step.cache {
            Some(_) => INSTALLER,
            None => user,
        });
        if let Some(user) = user {
            self.reachable(written)?;
            own_all(step.folder, user, user);
            own_all(&scratch.private(), user, user);
        }
        let cgroup = Cgroup::make(&scratch.label, MEMORY, PROCESSES);
        let (sender, collect) = self.collect();
        let watched = watch(Watch {
            helper: shared.helper.clone(),
            policy: Policy {
                namespaces: shared.namespaces(),
                network,
                command: step.command.to_vec(),
                directory: temporary.clone(),
                variables,
                binds,
                private: scratch.private(),
                temporary: 256 << 20,
                user,
                data: None,
                processes: cgroup.is_none().then(|| shared.process_limit(PROCESSES)),
                file: FILE,
                cgroups: cgroup.as_ref().map(Cgroup::folders).unwrap_or_default(),
            },
            scratch: &scratch,
            stdout: Sink::Lines(sender.clone()),
            stderr: Sink::Lines(sender),
            total: shared.settings.build,
            idle: Some(shared.settings.build_silence),
            tree: cgroup.is_none().then_some(TreeLimits {
                memory: MEMORY,
                processes: PROCESSES,
            }),
            cgroup: cgroup.as_ref(),
            disks: Disks::under([step.folder]),
            recorder: None,
            cancel: self.cancel.clone(),
        });
        if user.is_some() && step.cache.is_none() {
            let (caller, group) = (nix::unistd::geteuid(), nix::unistd::getegid());
            own_all(step.folder, caller.as_raw(), group.as_raw());
        }
        let mut log = collect.join().unwrap_or_default();
        removal::remove(&temporary).map_err(broken)?;
        let refused = way.as_ref().map(BuildNetwork::refused).unwrap_or_default();
        if !refused.is_empty() {
            log.push(format!(
                "Hosts that the build asked for and the sandbox keeps closed: {}.",
                refused.join(", ").escape_debug()
            ));
        }
        self.ended(watched.map_err(broken)?, log)
    }

    /// Whether the user that steps run as reaches a folder where no new root is made.
    fn reachable(&self, folder: &Path) -> Result<(), BuildFailure> {
        let closed = bind_mounts::closed_above(folder).filter(|_| !self.shared.namespaces());
        closed.map_or(Ok(()), |closed| {
            Err(infrastructure(
                format!(
                    "Environments in {} cannot be reached by the user that code runs as, because {} is closed to \
                     others: keep the cache elsewhere, or run as a user other than root.",
                    self.shared.cache.display(),
                    closed.display()
                ),
                String::new(),
            ))
        })
    }

    /// A sender for the lines of a step, which are shown and kept.
    fn collect(&self) -> (Sender<String>, std::thread::JoinHandle<Vec<String>>) {
        let (sender, mut receiver) = mpsc::channel::<String>(256);
        let forward = self.lines.clone();
        let collect = std::thread::spawn(move || {
            let mut log = VecDeque::new();
            while let Some(line) = receiver.blocking_recv() {
                // A progress display that lags must not hold the build up.
                let _ = forward.try_send(line.clone());
                if log.len() == LOG {
                    log.pop_front();
                }
                log.push_back(line);
            }
            Vec::from(log)
        });
        (sender, collect)
    }

    fn ended(&self, watched: Watched, log: Vec<String>) -> Result<StepEnded, BuildFailure> {
        let settings = &self.shared.settings;
        let seconds = |time: Duration| time.as_secs();
        match (watched.stop, watched.report) {
            (None, Report::Failed(why)) => Err(broken(why)),
            (None, Report::NoProgram(name)) => Err(broken(format!("`{name}` is not there"))),
            (None, report) => Ok(StepEnded { report, log }),
            (Some(ProcessStop::Cancelled), _) => Err(stopped(
                FailureCause::Cancelled,
                "The build was cancelled.",
                last(&log),
            )),
            (Some(ProcessStop::Idle), _) => Err(stopped(
                FailureCause::Timeout,
                &format!(
                    "The build was ended because nothing happened for {} seconds.",
                    seconds(settings.build_silence)
                ),
                last(&log),
            )),
            (Some(ProcessStop::TimedOut), _) => Err(stopped(
                FailureCause::Timeout,
                &format!("The build took longer than {} seconds.", seconds(settings.build)),
                last(&log),
            )),
            (Some(ProcessStop::DiskFull), _) => Err(infrastructure(
                "The build was ended because the disk is nearly full.",
                last(&log),
            )),
            (Some(ProcessStop::OutOfMemory | ProcessStop::TooManyProcesses), _) => Err(BuildFailure {
                log: last(&log),
                ..setup(
                    "The build needed too much memory or too many processes.",
                    Vec::new(),
                )
            }),
        }
    }

    /// The network of a step that fetches, with the operator's settings of it. In namespaces it
    /// leads to the index alone, and passwords stay outside.
    fn network(
        &self,
        program: FetchingProgram,
        temporary: &Path,
        variables: &mut BTreeMap<String, String>,
        binds: &mut Vec<Bind>,
    ) -> Result<(PolicyNetwork, Option<BuildNetwork>), BuildFailure> {
        let broken = |error: String| {
            infrastructure(format!("The packages cannot be fetched: {error}."), String::new())
        };
        let operator = OperatorPip::read(self.shared).map_err(|error| broken(error.to_string()))?;
        let mut settings = operator.settings;
        binds.extend(operator.binds);
        let way = if self.shared.namespaces() {
            Some(
                BuildNetwork::open(&self.shared.settings.operator, &mut settings)
                    .map_err(|error| broken(error.to_string()))?,
            )
        } else {
            None
        };
        match program {
            FetchingProgram::Pip => {
                pip_files(settings, way.is_some(), temporary, variables)
                    .map_err(|error| broken(error.to_string()))?;
            }
            FetchingProgram::Uv => {
                let translated =
                    uv_settings::translate(&settings).map_err(|error| broken(error.to_string()))?;
                variables.extend(translated);
            }
        }
        let network = match &way {
            Some(way) => PolicyNetwork::Proxy(way.socket()),
            None => PolicyNetwork::Host,
        };
        Ok((network, way))
    }
}

/// Hands pip its settings: variables, the operator's own file, and in namespaces, which lack the
/// machine's, that one.
fn pip_files(
    settings: BuildSettings,
    namespaces: bool,
    temporary: &Path,
    variables: &mut BTreeMap<String, String>,
) -> std::io::Result<()> {
    variables.extend(settings.variables);
    if let Some(text) = settings.own_file {
        let copy = temporary.join("pip.conf");
        fs::write(&copy, text)?;
        variables.insert("PIP_CONFIG_FILE".to_owned(), copy.display().to_string());
    }
    if let Some(text) = settings.machine_file.filter(|_| namespaces) {
        let folder = temporary.join("xdg");
        fs::create_dir_all(folder.join("pip"))?;
        fs::write(folder.join("pip/pip.conf"), text)?;
        variables.insert("XDG_CONFIG_DIRS".to_owned(), folder.display().to_string());
    }
    Ok(())
}
