//! The daemon of this machine, or a reason why there is none, and what a test runs on it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use reprise::domain::digest::Digest;
use reprise::domain::execution::{Environment, Limits};
use reprise::domain::ids::RunId;
use reprise::sandbox::contract::{Ended, Execution, Sandbox as _};
use reprise::sandbox::docker::container::owned;
use reprise::sandbox::docker::daemon::Daemon;
use reprise::sandbox::docker::sandbox::DockerSandbox;
use reprise::sandbox::docker::settings::DockerSettings;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use crate::need::need;

/// A small image with a shell and the usual tools, and one with Python.
pub const DEBIAN: &str = "debian:bookworm-slim";
pub const PYTHON: &str = "python:3.11-slim";

/// A sandbox over the daemon, with a cache that all tests share.
pub async fn sandbox() -> Option<DockerSandbox> {
    need(DockerSandbox::connect(settings(std::env::vars().collect())).await)
}

/// A sandbox over the daemon at a socket.
pub async fn sandbox_at(socket: &Path) -> DockerSandbox {
    DockerSandbox::connect(settings(at(socket))).await.unwrap()
}

/// An operator's environment that names a socket.
pub fn at(socket: &Path) -> BTreeMap<String, String> {
    BTreeMap::from([("DOCKER_HOST".to_owned(), format!("unix://{}", socket.display()))])
}

/// Settings with a cache that all tests share.
pub fn settings(operator: BTreeMap<String, String>) -> DockerSettings {
    // A test that becomes another user has a place of its own.
    let cache = operator.get("REPRISE_CACHE").map_or_else(
        || Path::new(env!("CARGO_TARGET_TMPDIR")).join("docker-cache"),
        PathBuf::from,
    );
    DockerSettings::new(cache, operator)
}

/// The connection that tests look through from outside.
pub async fn daemon() -> Daemon {
    Daemon::connect(&std::env::vars().collect()).await.unwrap()
}

/// A run of its own, with a workspace that has data and a writable folder.
pub struct Case {
    pub run: RunId,
    pub image: String,
    pub workspace: PathBuf,
    pub limits: Limits,
    _folder: TempDir,
}

static NEXT: AtomicU32 = AtomicU32::new(0);

impl Case {
    /// A case on an image; the files of `replication_data` as given.
    pub fn new(image: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let workspace = folder.path().join("workspace");
        for part in ["work", "replication_data/deep", "streams"] {
            std::fs::create_dir_all(workspace.join(part)).unwrap();
        }
        for (name, text) in [("a.csv", "x\n1\n"), ("b.csv", "x\n2\n"), ("deep/c.csv", "x\n3\n")] {
            std::fs::write(workspace.join("replication_data").join(name), text).unwrap();
        }
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        Self {
            run: RunId::new(format!("test-{}-{number}", std::process::id())),
            image: image.to_owned(),
            workspace,
            limits: Limits {
                seconds: 120,
                memory: 256 << 20,
                processes: 64,
                output: 1 << 20,
                file: 64 << 20,
                processors: None,
            },
            _folder: folder,
        }
    }

    /// An execution of a command in `work`.
    pub fn execution(&self, command: &[&str]) -> Execution {
        let environment = Environment {
            id: Digest::compute(&self.image),
            versions: BTreeMap::new(),
            location: self.image.clone(),
            built: false,
        };
        Execution {
            watched: vec!["replication_data".parse().unwrap(), "work".parse().unwrap()],
            limits: self.limits,
            ..Execution::alone(
                self.run.clone(),
                environment,
                command,
                &self.workspace,
                "work".parse().unwrap(),
                &self.workspace.join("streams"),
            )
        }
    }

    /// Runs a shell script of the test's own to its end.
    pub async fn shell(&self, sandbox: &DockerSandbox, script: &str) -> Ended {
        self.run(sandbox, &["sh", "-c", script]).await
    }

    /// Runs a command to its end.
    pub async fn run(&self, sandbox: &DockerSandbox, command: &[&str]) -> Ended {
        sandbox
            .execute(&self.execution(command), &CancellationToken::new())
            .await
            .unwrap()
    }

    pub fn stdout(&self) -> Vec<u8> {
        std::fs::read(self.workspace.join("streams/stdout")).unwrap()
    }

    pub fn stderr(&self) -> Vec<u8> {
        std::fs::read(self.workspace.join("streams/stderr")).unwrap()
    }

    /// Standard output as text.
    pub fn said(&self) -> String {
        String::from_utf8_lossy(&self.stdout()).into_owned()
    }
}

/// The states of the containers that a case still has.
pub async fn left(case: &Case) -> Vec<String> {
    owned::owned(&daemon().await)
        .await
        .unwrap()
        .into_iter()
        .filter(|container| container.run == case.run)
        .map(|container| container.state)
        .collect()
}

/// Waits for something that will happen.
pub async fn until(happened: impl Fn() -> bool) {
    while !happened() {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
}
