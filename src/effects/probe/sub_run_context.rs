//! The context of sub-runs, and the execution that one of them asks of the sandbox.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::domain::execution::{Environment, Limits};
use crate::domain::ids::RunId;
use crate::domain::r_defaults::RDefaults;
use crate::domain::workspace_path::WorkspacePath;
use crate::sandbox::contract::{Execution, Sandbox};

/// The context of sub-runs: folders, sandbox, environment and limits.
pub struct SubRunContext {
    pub run: RunId,
    /// The run's own workspace, which is only read.
    pub workspace: PathBuf,
    /// The folder for everything that is made.
    pub folder: PathBuf,
    pub sandbox: Arc<dyn Sandbox>,
    pub environment: Environment,
    pub limits: Limits,
    pub hosts: Vec<String>,
    /// Ado-files that Stata is shown.
    pub ado: Option<PathBuf>,
    /// Whether the environment has Python, and R.
    pub python: bool,
    pub r: bool,
    pub seed: u64,
    /// Those that R's scripts are run under.
    pub r_defaults: Option<RDefaults>,
}

static STREAMS: AtomicU32 = AtomicU32::new(0);

impl SubRunContext {
    /// One command in a copy of the workspace.
    pub fn execution(
        &self,
        workspace: &Path,
        command: Vec<String>,
        directory: WorkspacePath,
        variables: BTreeMap<String, String>,
    ) -> Execution {
        let number = STREAMS.fetch_add(1, Ordering::Relaxed);
        Execution {
            command,
            variables,
            limits: self.limits,
            hosts: self.hosts.clone(),
            ado: self.ado.clone(),
            stdout: self.folder.join(format!("{number}.stdout")),
            stderr: self.folder.join(format!("{number}.stderr")),
            ..Execution::alone(
                self.run.clone(),
                self.environment.clone(),
                &[],
                workspace,
                directory,
                &self.folder,
            )
        }
    }
}
