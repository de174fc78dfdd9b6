//! Environments, limits, and how an execution can end.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::digest::Digest;
use super::failure::FailureCause;
use super::workspace_path::WorkspacePath;

/// The tool by which an agent has the commands of its plan executed.
pub const RUN_ANALYSIS: &str = "run_analysis";

/// The tier of confinement of an execution.
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

/// The specification of an environment: the needs of the declared analysis, resolved to typed,
/// validated values.
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
    /// The files that the Python requirements are held to, where a lock has their digests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub python_files: Option<LockedFiles>,
    /// The Python that is wanted, such as `3.7`; another is taken where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub python_version: Option<String>,
    /// The R that is wanted, such as `3.6.1`; another is taken where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub r_version: Option<String>,
}

/// The files of Python packages, as a lock has them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LockedFiles {
    /// The Python that they were chosen for, such as `3.11`.
    pub python: String,
    /// SHA-256 in hexadecimal digits, by the package's normal name.
    pub sha256: BTreeMap<String, String>,
}

impl EnvironmentSpec {
    /// The packages in words, a line for each language.
    pub fn lines(&self) -> Vec<String> {
        let named = |names: Vec<String>| match names.is_empty() {
            true => "none".to_owned(),
            false => names.join(", "),
        };
        let versioned = |(name, version): (&String, &Option<String>)| match version {
            Some(version) => format!("{name} {version}"),
            None => name.clone(),
        };
        let image = self.base_image.as_ref().map(|image| format!("the image {image}"));
        let python = self
            .python
            .as_ref()
            .map(|names| format!("Python: {}", named(names.clone())));
        let r = self
            .r
            .as_ref()
            .map(|names| format!("R: {}", named(names.iter().map(versioned).collect())));
        let system = (!self.system.is_empty()).then(|| format!("Debian: {}", self.system.join(", ")));
        [image, python, r, system].into_iter().flatten().collect()
    }
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

/// The failure of a build that made no environment.
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
    /// Processors that may be kept busy, where the back end can limit them; its own choice
    /// where none are given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processors: Option<u64>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            seconds: 3600,
            memory: 4 << 30,
            processes: 256,
            output: 64 << 20,
            file: 2 << 30,
            processors: None,
        }
    }
}

/// The ending of a command.
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

    /// The end as the rest of a clause on the command.
    pub fn words(self) -> String {
        match self {
            Self::Exited(0) => "ended well".to_owned(),
            Self::Exited(127) => "could not start, since its program is not installed".to_owned(),
            Self::Exited(status) => format!("ended with exit status {status}"),
            Self::Signalled(signal) => format!("was ended by signal {signal}"),
            Self::TimedOut => "was stopped at its time limit".to_owned(),
            Self::OutOfMemory => "was stopped at its memory limit".to_owned(),
            Self::Cancelled => "was cancelled".to_owned(),
        }
    }
}

/// The files that were opened below the watched folders.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opened {
    pub files: Vec<WorkspacePath>,
    /// False when the record may have gaps, or the back end cannot tell.
    pub complete: bool,
}
