//! The contract of a sandbox, and the endings of an execution.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

use crate::domain::digest::Digest;
use crate::domain::execution::{BuildFailure, Ending, Environment, EnvironmentSpec, Limits, Opened, Tier};
use crate::domain::ids::RunId;
use crate::domain::workspace_path::WorkspacePath;
use crate::sandbox::beneath::{Beneath, NoBeneath};

/// One command to run, confined.
#[derive(Debug, Clone)]
pub struct Execution {
    pub run: RunId,
    pub environment: Environment,
    /// Program and arguments; no shell reads them. The program is looked up in
    /// the environment first, then on the system.
    pub command: Vec<String>,
    /// The workspace on the host. Inside it appears at [`INSIDE`].
    pub workspace: PathBuf,
    /// The folder in the workspace that the command starts in.
    pub directory: WorkspacePath,
    /// The only folders that can be written; everything else is read-only.
    pub writable: Vec<WorkspacePath>,
    /// Folders whose opened files are to be recorded.
    pub watched: Vec<WorkspacePath>,
    /// Extra environment variables; the operator's own environment never enters.
    pub variables: BTreeMap<String, String>,
    pub limits: Limits,
    /// Hosts that the command may reach over http and https; none as a rule.
    pub hosts: Vec<String>,
    /// A socket on the host to which [`GATEWAY_PORT`] of a loopback inside leads; none as a rule.
    pub gateway: Option<PathBuf>,
    /// A folder of the host that appears at [`BESIDE`], read-only; none as a rule.
    pub beside: Option<PathBuf>,
    /// A folder of ado-files that appears at [`ADO`], read-only, in containers; none as a rule.
    pub ado: Option<PathBuf>,
    /// A folder that lies beneath one of the writable ones, copy-on-write; none as a rule.
    pub beneath: Option<Beneath>,
    /// True of a session: where the back end can, it outlives an engine that is killed, and
    /// the next execution of the run takes it up again instead of starting another.
    pub lasting: bool,
    /// Where the raw output streams are written on the host.
    pub stdout: PathBuf,
    pub stderr: PathBuf,
}

impl Execution {
    /// A command with nothing but its workspace, of which it writes the folder that it starts in: no network, no
    /// variables, the default limits. Its output goes to `stdout` and `stderr` in `streams`.
    pub fn alone(
        run: RunId,
        environment: Environment,
        command: &[&str],
        workspace: &Path,
        directory: WorkspacePath,
        streams: &Path,
    ) -> Self {
        Self {
            run,
            environment,
            command: command.iter().map(|&part| part.to_owned()).collect(),
            workspace: workspace.to_owned(),
            writable: vec![directory.clone()],
            directory,
            watched: Vec::new(),
            variables: BTreeMap::new(),
            limits: Limits::default(),
            hosts: Vec::new(),
            gateway: None,
            beside: None,
            ado: None,
            beneath: None,
            lasting: false,
            stdout: streams.join("stdout"),
            stderr: streams.join("stderr"),
        }
    }
}

/// Where the workspace appears to confined code, in every back end that can
/// choose; Landlock cannot, and leaves it at its place on the host.
pub const INSIDE: &str = "/workspace";

/// Where the folder appears that an execution is given beside its workspace.
pub const BESIDE: &str = "/agent";

/// Where Stata looks for what it installed itself, which it calls PLUS: below the home of whoever runs it, which is
/// `/tmp` in a container.
pub const ADO: &str = "/tmp/ado/plus";

/// The port inside that leads to the socket of an execution's gateway.
pub const GATEWAY_PORT: u16 = 3129;

/// The record of a finished command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ended {
    pub ending: Ending,
    /// Bytes written to each stream, dropped ones included.
    pub stdout_bytes: u64,
    pub stderr_bytes: u64,
    pub opened: Opened,
    pub wall: Duration,
    /// Highest memory in use, in bytes, where the back end can tell.
    pub peak_memory: Option<u64>,
    /// What the tier could not enforce here, in words for the report.
    pub notes: Vec<String>,
}

/// The sandbox itself failed: not the fault of the code in it.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// No tier works here; the text says what is missing and the way out.
    #[error("{0}")]
    Unavailable(String),
    /// The program of a command is in no environment and not on the system.
    #[error("`{0}` is not installed here")]
    NoProgram(String),
    /// What `prepare` made was removed since; preparing again makes it anew.
    #[error("the environment {0} was removed; `reprise resume` makes it again")]
    EnvironmentGone(String),
    /// Others filled the disk that the command wrote to.
    #[error("the disk is full: {path}; free some space, then the same command again goes on, and `reprise resume` with a single run", path = .0.display())]
    DiskFull(PathBuf),
    #[error("the sandbox failed: {0}")]
    Failed(String),
}

/// The reason for which no single host can be opened to a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoOpenHosts {
    #[error("the local sandbox has no network at all")]
    NoNetwork,
    #[error("Landlock alone gives code no loopback of its own")]
    NoLoopback,
    #[error("only root can enter a container's network to listen there")]
    NotRoot,
    #[error("the daemon's containers are out of this process's reach")]
    OutOfReach,
}

/// Progress of a build, a line at a time.
pub type Lines<'a> = &'a (dyn Fn(&str) + Send + Sync);

/// A place to run code that nobody trusts.
#[async_trait]
pub trait Sandbox: Send + Sync {
    /// What confines executions here.
    fn tier(&self) -> Tier;

    /// Whether single hosts can be opened to a command here; if not, why not.
    ///
    /// # Errors
    /// Why none can be.
    fn opens_hosts(&self) -> Result<(), NoOpenHosts> {
        Err(NoOpenHosts::NoNetwork)
    }

    /// Whether a port inside can lead to a socket on the host, as [`Execution::gateway`] asks.
    ///
    /// # Errors
    /// Why none can.
    fn opens_gateway(&self) -> Result<(), NoOpenHosts> {
        self.opens_hosts()
    }

    /// Whether a folder can lie beneath one that is writable here, as [`Execution::beneath`] asks, with
    /// workspaces below `place`.
    ///
    /// # Errors
    /// Why none can.
    async fn shows_beneath(&self, _place: &Path) -> Result<(), NoBeneath> {
        Err(NoBeneath::Landlock)
    }

    /// The version of the Python that the environment of a specification gets, before it is made; `None` where
    /// it needs none, or where that cannot be told.
    async fn python_of(&self, _spec: &EnvironmentSpec) -> Result<Option<String>, BuildFailure> {
        Ok(None)
    }

    /// The releases of Python, such as `3.8`, that seem to be here for the environment of a specification, without
    /// anything being fetched; none where it has no choice of them.
    async fn python_releases(&self, _spec: &EnvironmentSpec) -> Result<Vec<String>, BuildFailure> {
        Ok(Vec::new())
    }

    /// The digest of the environment that `prepare` would make, before making it.
    async fn resolve(&self, spec: &EnvironmentSpec) -> Result<Digest, BuildFailure>;

    /// Makes the environment, or finds it ready.
    async fn prepare(
        &self,
        spec: &EnvironmentSpec,
        cancel: &CancellationToken,
        progress: Lines<'_>,
    ) -> Result<Environment, BuildFailure>;

    /// Finishes, before many executions, what makes each of them faster; it fails in nothing else.
    async fn warm_up(&self, _environment: &Environment, _cancel: &CancellationToken) {}

    /// Runs one command to its end; the whole process tree is gone afterwards.
    async fn execute(&self, execution: &Execution, cancel: &CancellationToken)
    -> Result<Ended, SandboxError>;

    /// Whether a lasting execution of the run is under way without an engine.
    ///
    /// # Errors
    /// A back end that does not answer.
    async fn has_lasting(&self, _run: &RunId) -> Result<bool, SandboxError> {
        Ok(false)
    }

    /// Removes whatever an interrupted run left behind.
    async fn sweep(&self, run: &RunId) -> Result<(), SandboxError>;
}
