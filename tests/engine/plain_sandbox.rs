//! A sandbox that confines nothing: it starts the command in the workspace.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use async_trait::async_trait;
use reprise::domain::digest::Digest;
use reprise::domain::execution::{BuildFailure, Ending, Environment, EnvironmentSpec, Opened, Tier};
use reprise::domain::ids::RunId;
use reprise::domain::workspace_path::WorkspacePath;
use reprise::sandbox::contract::{Ended, Execution, Lines, Sandbox, SandboxError};
use tokio_util::sync::CancellationToken;

/// Runs a fixture's own scripts, and says of all files that are watched that they were opened.
pub struct PlainSandbox;

/// The files below the watched folders, as paths in the workspace.
fn watched(execution: &Execution) -> Vec<WorkspacePath> {
    let mut files = Vec::new();
    for folder in &execution.watched {
        for entry in walkdir::WalkDir::new(folder.below(&execution.workspace)).sort_by_file_name() {
            let entry = entry.unwrap();
            if entry.file_type().is_file() {
                let path = entry.path().strip_prefix(&execution.workspace).unwrap();
                files.push(path.to_str().unwrap().parse().unwrap());
            }
        }
    }
    files
}

fn bytes(path: &Path) -> u64 {
    std::fs::metadata(path).unwrap().len()
}

#[async_trait]
impl Sandbox for PlainSandbox {
    fn tier(&self) -> Tier {
        Tier::Namespaces
    }

    async fn resolve(&self, _: &EnvironmentSpec) -> Result<Digest, BuildFailure> {
        Ok(Digest::compute("plain"))
    }

    async fn prepare(
        &self,
        _: &EnvironmentSpec,
        _: &CancellationToken,
        _: Lines<'_>,
    ) -> Result<Environment, BuildFailure> {
        Ok(Environment {
            id: Digest::compute("plain"),
            versions: BTreeMap::new(),
            location: String::new(),
            built: false,
        })
    }

    async fn execute(&self, execution: &Execution, _: &CancellationToken) -> Result<Ended, SandboxError> {
        let (program, arguments) = execution.command.split_first().unwrap();
        let status = Command::new(program)
            .args(arguments)
            .current_dir(execution.directory.below(&execution.workspace))
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .envs(&execution.variables)
            .stdin(Stdio::null())
            .stdout(File::create(&execution.stdout).unwrap())
            .stderr(File::create(&execution.stderr).unwrap())
            .status()
            .unwrap();
        Ok(Ended {
            ending: Ending::Exited(status.code().unwrap()),
            stdout_bytes: bytes(&execution.stdout),
            stderr_bytes: bytes(&execution.stderr),
            opened: Opened {
                files: watched(execution),
                complete: true,
            },
            wall: Duration::from_millis(1),
            peak_memory: None,
            notes: Vec::new(),
        })
    }

    async fn sweep(&self, _: &RunId) -> Result<(), SandboxError> {
        Ok(())
    }
}
