//! What every sandbox promises, and how an execution can end.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

use crate::domain::digest::Digest;
use crate::domain::failure::FailureCause;
use crate::domain::ids::RunId;
use crate::domain::workspace_path::WorkspacePath;

/// What confines an execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tier {
    /// A container of a Docker-compatible daemon.
    Docker,
    /// Linux namespaces, made by our own helper process.
    Namespaces,
    /// Landlock, seccomp and resource limits, where namespaces are forbidden.
    Landlock,
}

/// What the declared analysis needs, resolved to typed, validated values.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EnvironmentSpec {
    /// The image that a container starts from, where one was named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_image: Option<String>,
    /// Python requirements in canonical PEP 508 form; `None` when no Python is needed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub python: Option<Vec<String>>,
    /// R packages to versions (`None`: any); `None` when no R is needed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub r: Option<BTreeMap<String, Option<String>>>,
    /// Debian packages.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub system: Vec<String>,
}

/// An environment that is ready to run in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Environment {
    /// Digest of what the environment was resolved to.
    pub id: Digest,
    /// Interpreter versions and the like, by name, for the report.
    pub versions: BTreeMap<String, String>,
    /// Where the back end finds it (a virtual environment's folder, an image id).
    pub location: String,
    /// Whether it had to be built, rather than found ready.
    pub built: bool,
}

/// Why an environment could not be made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{summary}")]
pub struct BuildFailure {
    /// `Setup` when the declared packages are at fault, else `Infrastructure` or `Timeout`.
    pub cause: FailureCause,
    /// One sentence that the agent can act on.
    pub summary: String,
    /// The packages that failed, where they are known.
    pub packages: Vec<String>,
    /// The last lines that matter.
    pub log: String,
}

/// Limits of one execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Wall-clock seconds.
    pub seconds: u64,
    /// Bytes of memory over the whole process tree.
    pub memory: u64,
    /// Processes and threads alive at once.
    pub processes: u64,
    /// Bytes kept of each output stream; what comes after is counted and dropped.
    pub output: u64,
    /// Bytes that a single written file may have.
    pub file: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            seconds: 3600,
            memory: 4 << 30,
            processes: 256,
            output: 64 << 20,
            file: 2 << 30,
        }
    }
}

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
    /// Where the raw output streams are written on the host.
    pub stdout: PathBuf,
    pub stderr: PathBuf,
}

/// Where the workspace appears to confined code, in every back end that can
/// choose; Landlock cannot, and leaves it at its place on the host.
pub const INSIDE: &str = "/workspace";

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    Exited(i32),
    Signalled(i32),
    TimedOut,
    OutOfMemory,
    /// The run was cancelled while the command ran.
    Cancelled,
}

impl Ending {
    /// Whether the command succeeded.
    pub fn ok(self) -> bool {
        self == Self::Exited(0)
    }
}

/// The files that were opened below the watched folders.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opened {
    pub files: Vec<WorkspacePath>,
    /// False when the record may have gaps, or the back end cannot tell.
    pub complete: bool,
}

/// What is known of a finished command.
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
    #[error("the sandbox failed: {0}")]
    Failed(String),
}

/// Progress of a build, a line at a time.
pub type Lines<'a> = &'a (dyn Fn(&str) + Send + Sync);

/// A place to run code that nobody trusts.
#[async_trait]
pub trait Sandbox: Send + Sync {
    /// What confines executions here.
    fn tier(&self) -> Tier;

    /// The digest of the environment that `prepare` would make, before making it.
    fn resolve(&self, spec: &EnvironmentSpec) -> Result<Digest, BuildFailure>;

    /// Makes the environment, or finds it ready.
    async fn prepare(
        &self,
        spec: &EnvironmentSpec,
        cancel: &CancellationToken,
        progress: Lines<'_>,
    ) -> Result<Environment, BuildFailure>;

    /// Runs one command to its end; the whole process tree is gone afterwards.
    async fn execute(&self, execution: &Execution, cancel: &CancellationToken)
    -> Result<Ended, SandboxError>;

    /// Removes whatever an interrupted run left behind.
    async fn sweep(&self, run: &RunId) -> Result<(), SandboxError>;
}
