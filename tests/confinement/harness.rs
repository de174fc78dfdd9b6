//! A workspace, a sandbox of a given tier, and a way to run Python in it.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use reprise::domain::execution::{Environment, EnvironmentSpec, Limits, Tier};
use reprise::domain::ids::RunId;
use reprise::domain::workspace_path::WorkspacePath;
use reprise::sandbox::contract::{Ended, Execution, Sandbox as _, SandboxError};
use reprise::sandbox::local::sandbox::{LocalSandbox, LocalSettings};
use tokio_util::sync::CancellationToken;

pub const TIERS: [Tier; 2] = [Tier::Namespaces, Tier::Landlock];

/// A sandbox, an environment with Python and a workspace of its own.
pub struct Range {
    pub sandbox: LocalSandbox,
    pub environment: Environment,
    pub workspace: PathBuf,
    pub limits: Limits,
    pub variables: BTreeMap<String, String>,
    pub watched: Vec<WorkspacePath>,
    pub run: RunId,
    folder: tempfile::TempDir,
}

/// What came of a command: how it ended, and its raw streams.
pub struct Came {
    pub ended: Ended,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
}

impl Came {
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    pub fn errors(&self) -> String {
        String::from_utf8_lossy(&self.stderr).into_owned()
    }
}

/// Settings over a cache that all tests share, so that Python's environment is made once.
pub fn settings(tier: Option<Tier>) -> LocalSettings {
    let cache = format!("sandbox-cache-{}", nix::unistd::geteuid());
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join(cache);
    LocalSettings {
        tier,
        operator: std::env::vars().collect(),
        ..LocalSettings::new(env!("CARGO_BIN_EXE_reprise"), cache)
    }
}

/// A sandbox of the tier, or `None`, with a message, where the machine has none.
pub fn sandbox(tier: Tier) -> Option<LocalSandbox> {
    match LocalSandbox::detect(settings(Some(tier))) {
        Ok(sandbox) => Some(sandbox),
        Err(error) => {
            println!("skipped: {tier:?} does not work here: {error}");
            assert!(std::env::var_os("CI").is_none(), "CI must have {tier:?}: {error}");
            None
        }
    }
}

impl Range {
    /// A fresh workspace and an environment with Python, or `None`, with a message.
    pub async fn open(tier: Tier) -> Option<Self> {
        let sandbox = sandbox(tier)?;
        let spec = EnvironmentSpec {
            python: Some(Vec::new()),
            ..EnvironmentSpec::default()
        };
        let environment = match sandbox.prepare(&spec, &CancellationToken::new(), &|_| {}).await {
            Ok(environment) => environment,
            Err(failure) => {
                println!("skipped: no Python here: {failure} {}", failure.log);
                assert!(
                    std::env::var_os("CI").is_none(),
                    "CI must have Python: {}",
                    failure.log
                );
                return None;
            }
        };
        let folder = tempfile::tempdir().unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let workspace = folder.path().join("workspace");
        for part in ["work", "replication_data/nested"] {
            fs::create_dir_all(workspace.join(part)).unwrap();
        }
        fs::write(workspace.join("replication_data/a.csv"), "x\n1\n").unwrap();
        fs::write(workspace.join("replication_data/nested/b.csv"), "x\n2\n").unwrap();
        fs::write(workspace.join("replication_data/unread.csv"), "x\n3\n").unwrap();
        fs::write(workspace.join("paper.txt"), "the paper").unwrap();
        Some(Self {
            run: RunId::new(
                format!("test-{}", folder.path().file_name().unwrap().display()).replace('.', ""),
            ),
            sandbox,
            environment,
            workspace,
            limits: Limits {
                seconds: 60,
                memory: 1 << 30,
                processes: 64,
                output: 1 << 20,
                file: 16 << 20,
            },
            variables: BTreeMap::new(),
            watched: Vec::new(),
            folder,
        })
    }

    /// A folder on the host beside the workspace.
    pub fn outside(&self) -> &Path {
        self.folder.path()
    }

    pub fn execution(&self, command: &[&str]) -> Execution {
        Execution {
            run: self.run.clone(),
            environment: self.environment.clone(),
            command: command.iter().map(|&part| part.to_owned()).collect(),
            workspace: self.workspace.clone(),
            directory: WorkspacePath::WORK.parse().unwrap(),
            writable: vec![WorkspacePath::WORK.parse().unwrap()],
            watched: self.watched.clone(),
            variables: self.variables.clone(),
            limits: self.limits,
            hosts: Vec::new(),
            stdout: self.outside().join("stdout"),
            stderr: self.outside().join("stderr"),
        }
    }

    pub async fn run(&self, command: &[&str]) -> Result<Came, SandboxError> {
        let execution = self.execution(command);
        let ended = self
            .sandbox
            .execute(&execution, &CancellationToken::new())
            .await?;
        Ok(Came {
            ended,
            stdout: fs::read(&execution.stdout).unwrap(),
            stderr: fs::read(&execution.stderr).unwrap(),
        })
    }

    pub async fn python(&self, program: &str) -> Came {
        self.run(&["python3", "-c", program]).await.unwrap()
    }
}

/// Processes of this machine whose command line holds `mark`.
pub fn alive(mark: &str) -> Vec<i32> {
    fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|process| *process != i32::try_from(std::process::id()).unwrap())
        .filter(|process| {
            let line = fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
            String::from_utf8_lossy(&line).contains(mark)
        })
        .collect()
}
