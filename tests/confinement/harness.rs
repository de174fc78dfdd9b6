//! A workspace, a sandbox of a given tier, and a way to run Python in it.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use reprise::domain::digest::Digest;
use reprise::domain::execution::{Environment, EnvironmentSpec, Limits, Tier};
use reprise::domain::ids::RunId;
use reprise::domain::workspace_path::WorkspacePath;
use reprise::sandbox::contract::{Ended, Execution, Sandbox, SandboxError};
use reprise::sandbox::docker::daemon::Daemon;
use reprise::sandbox::docker::sandbox::DockerSandbox;
use reprise::sandbox::docker::settings::DockerSettings;
use reprise::sandbox::local::sandbox::LocalSandbox;
use reprise::sandbox::local::settings::LocalSettings;
use reprise::sandbox::session::shell::{SessionKind, SessionSpec};
use tokio_util::sync::CancellationToken;

use crate::need::need;

/// The tiers of this machine itself.
pub const LOCAL: [Tier; 2] = [Tier::Namespaces, Tier::Landlock];
pub const TIERS: [Tier; 3] = [Tier::Namespaces, Tier::Landlock, Tier::Docker];

/// The image that containers start from.
const IMAGE: &str = "python:3.11-slim";

/// A value of the operator's environment that must turn up nowhere.
pub const SECRET: &str = "sk-secret-canary-of-the-operator";

/// A sandbox, an environment with Python and a workspace of its own.
pub struct Range {
    pub sandbox: Arc<dyn Sandbox>,
    pub environment: Environment,
    pub workspace: PathBuf,
    pub limits: Limits,
    pub variables: BTreeMap<String, String>,
    pub watched: Vec<WorkspacePath>,
    pub run: RunId,
    folder: tempfile::TempDir,
}

/// The outcome of a command: how it ended, and its raw streams.
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

pub fn cache() -> PathBuf {
    let cache = format!("sandbox-cache-{}", nix::unistd::geteuid());
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(cache)
}

fn operator() -> BTreeMap<String, String> {
    let mut operator: BTreeMap<String, String> = std::env::vars().collect();
    for name in ["OPENAI_API_KEY", "REPRISE_SECRET", "AWS_SECRET_ACCESS_KEY"] {
        operator.insert(name.to_owned(), SECRET.to_owned());
    }
    operator
}

/// Settings over a cache that all tests share, so that Python's environment is made once.
pub fn settings(tier: Option<Tier>) -> LocalSettings {
    LocalSettings {
        tier,
        operator: operator(),
        ..LocalSettings::new(env!("CARGO_BIN_EXE_reprise"), cache())
    }
}

fn skip<T>(tier: Tier, why: impl std::fmt::Display) -> Option<T> {
    need(Err(format!("{tier:?} does not work here: {why}")))
}

/// A local sandbox of the tier, or `None`, with a message, where the machine has none.
pub fn sandbox(tier: Tier) -> Option<LocalSandbox> {
    match LocalSandbox::detect(settings(Some(tier))) {
        Ok(sandbox) => Some(sandbox),
        Err(error) => skip(tier, error),
    }
}

async fn local(tier: Tier, spec: &EnvironmentSpec) -> Option<(Arc<dyn Sandbox>, Environment)> {
    let sandbox = sandbox(tier)?;
    match sandbox.prepare(spec, &CancellationToken::new(), &|_| {}).await {
        Ok(environment) => Some((Arc::new(sandbox), environment)),
        Err(failure) => skip(tier, format!("{failure} {}", failure.log)),
    }
}

async fn docker() -> Option<(Arc<dyn Sandbox>, Environment)> {
    let operator = operator();
    let image = match Daemon::connect(&operator).await {
        Ok(daemon) => daemon.client.inspect_image(IMAGE).await,
        Err(error) => return skip(Tier::Docker, error),
    };
    let id = match image {
        Ok(image) => image.id.unwrap(),
        Err(error) => return skip(Tier::Docker, format!("there is no image {IMAGE}: {error}")),
    };
    let sandbox = container_sandbox(operator).await;
    let environment = Environment {
        id: Digest::compute(&id),
        versions: BTreeMap::new(),
        location: id,
        built: false,
    };
    Some((Arc::new(sandbox), environment))
}

async fn container_sandbox(operator: BTreeMap<String, String>) -> DockerSandbox {
    let mut settings = DockerSettings::new(cache(), operator);
    settings.guard = Some(env!("CARGO_BIN_EXE_reprise").into());
    DockerSandbox::connect(settings).await.unwrap()
}

/// Containers with an image that has the packages of an environment.
async fn built(spec: &EnvironmentSpec) -> Option<(Arc<dyn Sandbox>, Environment)> {
    docker().await?;
    let sandbox = container_sandbox(operator()).await;
    let spec = EnvironmentSpec {
        base_image: Some(IMAGE.to_owned()),
        ..spec.clone()
    };
    match sandbox.prepare(&spec, &CancellationToken::new(), &|_| {}).await {
        Ok(environment) => Some((Arc::new(sandbox), environment)),
        Err(failure) => skip(Tier::Docker, format!("{failure} {}", failure.log)),
    }
}

impl Range {
    /// A session that starts in `work/` and exchanges files in a folder of the workspace.
    pub fn session(&self, kind: SessionKind, exchange: &str) -> SessionSpec {
        fs::create_dir_all(self.workspace.join(exchange)).unwrap();
        SessionSpec {
            run: self.run.clone(),
            kind,
            environment: self.environment.clone(),
            workspace: self.workspace.clone(),
            directory: "work".parse().unwrap(),
            exchange: exchange.parse().unwrap(),
            writable: vec!["work".parse().unwrap()],
            variables: self.variables.clone(),
            limits: self.limits,
            hosts: Vec::new(),
            gateway: None,
            beside: None,
            beneath: None,
            lasting: true,
            streams: self.outside().to_owned(),
        }
    }

    /// A fresh workspace and an environment with Python, or `None`, with a message.
    pub async fn open(tier: Tier) -> Option<Self> {
        let spec = EnvironmentSpec {
            python: Some(Vec::new()),
            ..EnvironmentSpec::default()
        };
        let made = match tier {
            Tier::Docker => docker().await?,
            tier => local(tier, &spec).await?,
        };
        Some(Self::over(made.0, made.1))
    }

    /// The same with an environment of one's own, made from package indexes.
    pub async fn with(tier: Tier, spec: &EnvironmentSpec) -> Option<Self> {
        let made = match tier {
            Tier::Docker => built(spec).await?,
            tier => local(tier, spec).await?,
        };
        Some(Self::over(made.0, made.1))
    }

    fn over(sandbox: Arc<dyn Sandbox>, environment: Environment) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let workspace = folder.path().join("workspace");
        for part in ["work", "replication_data/nested"] {
            fs::create_dir_all(workspace.join(part)).unwrap();
        }
        for (path, text) in [
            ("replication_data/a.csv", "x\n1\n"),
            ("replication_data/nested/b.csv", "x\n2\n"),
            ("replication_data/unread.csv", "x\n3\n"),
            ("paper.txt", "the paper"),
        ] {
            fs::write(workspace.join(path), text).unwrap();
        }
        let name = folder.path().file_name().unwrap().display();
        Self {
            run: RunId::new(format!("test-{name}").replace('.', "")),
            sandbox,
            environment,
            workspace,
            limits: Limits {
                seconds: 60,
                memory: 1 << 30,
                processes: 64,
                output: 1 << 20,
                file: 16 << 20,
                processors: None,
            },
            variables: BTreeMap::new(),
            watched: Vec::new(),
            folder,
        }
    }

    /// A folder on the host beside the workspace.
    pub fn outside(&self) -> &Path {
        self.folder.path()
    }

    /// The workspace as confined code sees it.
    pub fn inside(&self) -> String {
        match self.sandbox.tier() {
            Tier::Landlock => self.workspace.display().to_string(),
            _ => reprise::sandbox::contract::INSIDE.to_owned(),
        }
    }

    pub fn execution(&self, command: &[&str]) -> Execution {
        Execution {
            watched: self.watched.clone(),
            variables: self.variables.clone(),
            limits: self.limits,
            ..Execution::alone(
                self.run.clone(),
                self.environment.clone(),
                command,
                &self.workspace,
                WorkspacePath::WORK.parse().unwrap(),
                self.outside(),
            )
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
