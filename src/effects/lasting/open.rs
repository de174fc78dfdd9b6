//! The opening of a session, or the taking up of one that a killed engine has left.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

use super::workspace::{HOME, PYTHON_HOME, was_used};
use crate::domain::workspace_path::WorkspacePath;
use crate::effects::environment::{ActBefore, SessionTerms};
use crate::effects::made_environment::MadeEnvironment;
use crate::engine::error::EngineError;
use crate::sandbox::contract::{Lines, Sandbox, SandboxError};
use crate::sandbox::session::kernel::KernelSession;
use crate::sandbox::session::reply::CommandsBefore;
use crate::sandbox::session::shell::{SessionKind, SessionSpec, ShellSession};

/// A session in a sandbox that can outlive its engine.
#[async_trait]
pub trait LastingSession: Sized + Send {
    /// Opens a new one.
    ///
    /// # Errors
    /// A sandbox in which it cannot be opened.
    async fn open(sandbox: Arc<dyn Sandbox>, spec: &SessionSpec) -> Result<Self, SandboxError>;

    /// Takes up the one of an engine that is gone; `None` where there is none.
    ///
    /// # Errors
    /// A sandbox that does not answer.
    async fn take_up(
        sandbox: &Arc<dyn Sandbox>,
        spec: &SessionSpec,
        before: CommandsBefore,
    ) -> Result<Option<Self>, SandboxError>;
}

#[async_trait]
impl LastingSession for ShellSession {
    async fn open(sandbox: Arc<dyn Sandbox>, spec: &SessionSpec) -> Result<Self, SandboxError> {
        Self::open(sandbox, spec).await
    }

    async fn take_up(
        sandbox: &Arc<dyn Sandbox>,
        spec: &SessionSpec,
        before: CommandsBefore,
    ) -> Result<Option<Self>, SandboxError> {
        Self::take_up(sandbox, spec, before).await
    }
}

#[async_trait]
impl LastingSession for KernelSession {
    async fn open(sandbox: Arc<dyn Sandbox>, spec: &SessionSpec) -> Result<Self, SandboxError> {
        Self::open(sandbox, spec).await
    }

    async fn take_up(
        sandbox: &Arc<dyn Sandbox>,
        spec: &SessionSpec,
        before: CommandsBefore,
    ) -> Result<Option<Self>, SandboxError> {
        Self::take_up(sandbox, spec, before).await
    }
}

/// The parts of an environment that its sessions differ in.
#[async_trait]
pub trait LastingEnvironment: Sync {
    type Session: LastingSession;

    /// The folder of its sessions' exchange, below the workspace.
    const EXCHANGE: &str;

    /// The same of the shell of a program of others.
    const PROGRAM_EXCHANGE: &str = Self::EXCHANGE;

    /// Makes the environment that the task asks for.
    ///
    /// # Errors
    /// Packages that cannot be had, or a fault of the machine or the network.
    async fn made(
        &self,
        terms: &SessionTerms<'_>,
        sandbox: &dyn Sandbox,
        cancel: &CancellationToken,
        progress: Lines<'_>,
    ) -> Result<MadeEnvironment, EngineError>;

    /// A session in an environment that was made.
    ///
    /// # Errors
    /// A folder whose name cannot be used.
    fn specification(
        &self,
        terms: &SessionTerms<'_>,
        made: &MadeEnvironment,
    ) -> Result<SessionSpec, EngineError>;

    /// A session for a program that is the agent, which brings its own way to run code.
    ///
    /// # Errors
    /// A folder whose name cannot be used.
    fn program_specification(
        &self,
        terms: &SessionTerms<'_>,
        made: &MadeEnvironment,
    ) -> Result<SessionSpec, EngineError> {
        self.specification(terms, made)
    }

    /// What the session of the engine before was given.
    fn before(&self, acts: &[ActBefore]) -> CommandsBefore;

    /// Puts the workspace back to where the run began.
    ///
    /// # Errors
    /// A task that is not the one that the run was begun with, or a workspace that cannot be written.
    fn lay_out_again(&self, terms: &SessionTerms<'_>) -> Result<(), EngineError>;
}

/// A session that is open, in its environment.
pub struct OpenedLasting<S> {
    pub session: S,
    pub made: MadeEnvironment,
    /// Whether an engine before had opened it.
    pub is_taken_up: bool,
}

/// The sandbox of a run that acts in one.
///
/// # Errors
/// A run without a sandbox.
pub fn sandbox_of<'a>(terms: &SessionTerms<'a>) -> Result<&'a Arc<dyn Sandbox>, EngineError> {
    let none = || EngineError::Unusable("this run was started without a sandbox".to_owned());
    terms.confinement.sandbox.ok_or_else(none)
}

/// Whether the session of an engine that is gone lives on.
///
/// # Errors
/// A machine that does not answer.
pub async fn lives_on(terms: &SessionTerms<'_>) -> Result<bool, EngineError> {
    match terms.confinement.sandbox {
        Some(sandbox) => Ok(sandbox.has_lasting(&terms.owner).await?),
        None => Ok(false),
    }
}

/// Opens a session, or takes up the one that is there.
///
/// # Errors
/// A sandbox, an environment or a workspace that cannot be had.
pub async fn open<E: LastingEnvironment>(
    environment: &E,
    terms: &SessionTerms<'_>,
    cancel: &CancellationToken,
    progress: Lines<'_>,
) -> Result<OpenedLasting<E::Session>, EngineError> {
    let sandbox = sandbox_of(terms)?;
    std::fs::create_dir_all(&terms.streams).map_err(|error| EngineError::io(&terms.streams, error))?;
    // What an engine that is gone has left is looked for first: an index that is out of reach, or an
    // image that would have to be made again, keeps nobody from a session that lives.
    if let Some(made) = terms.made_before
        && let Some(session) = taken_up(environment, sandbox, terms, made).await?
    {
        return Ok(OpenedLasting {
            session,
            made: made.clone(),
            is_taken_up: true,
        });
    }
    let made = environment
        .made(terms, sandbox.as_ref(), cancel, progress)
        .await?;
    // One that was killed before it could journal what it had made.
    if let Some(session) = taken_up(environment, sandbox, terms, &made).await? {
        return Ok(OpenedLasting {
            session,
            made,
            is_taken_up: true,
        });
    }
    // Whatever a process that is gone has left would be in the way.
    sandbox.sweep(&terms.owner).await?;
    if !terms.acts_before.is_empty() || was_used(&terms.workspace, E::EXCHANGE) {
        environment.lay_out_again(terms)?;
    }
    let spec = environment.specification(terms, &made)?;
    let session = E::Session::open(Arc::clone(sandbox), &spec).await?;
    Ok(OpenedLasting {
        session,
        made,
        is_taken_up: false,
    })
}

/// The session of an engine that is gone, where it lives in that environment.
async fn taken_up<E: LastingEnvironment>(
    environment: &E,
    sandbox: &Arc<dyn Sandbox>,
    terms: &SessionTerms<'_>,
    made: &MadeEnvironment,
) -> Result<Option<E::Session>, EngineError> {
    if made.tier != sandbox.tier() {
        return Ok(None);
    }
    let spec = environment.specification(terms, made)?;
    let before = environment.before(terms.acts_before);
    Ok(E::Session::take_up(sandbox, &spec, before).await?)
}

/// The parts of a session's specification that kinds of sessions differ in.
pub struct LastingSpec<'a> {
    pub kind: SessionKind,
    pub exchange: &'a str,
    pub hosts: &'a [String],
    pub variables: BTreeMap<String, String>,
}

/// A session over the run's workspace, in an environment that was made.
///
/// # Errors
/// A folder whose name cannot be used.
pub fn specification(
    terms: &SessionTerms<'_>,
    made: &MadeEnvironment,
    own: LastingSpec<'_>,
) -> Result<SessionSpec, EngineError> {
    let request = terms.confinement.request;
    let parse = |path: &str| -> Result<WorkspacePath, EngineError> {
        path.parse()
            .map_err(|error| EngineError::Unusable(format!("{error}")))
    };
    Ok(SessionSpec {
        run: terms.owner.clone(),
        kind: own.kind,
        environment: made.environment.clone(),
        workspace: terms.workspace.clone(),
        directory: parse(WorkspacePath::WORK)?,
        exchange: parse(own.exchange)?,
        writable: vec![parse(WorkspacePath::WORK)?, parse(HOME)?],
        variables: own.variables,
        limits: request.limits,
        hosts: own.hosts.to_vec(),
        gateway: None,
        beside: None,
        beneath: None,
        lasting: true,
        streams: terms.streams.clone(),
    })
}

/// Variables by which installations go to where they may be written; `inside` is the workspace as the
/// session sees it.
pub fn variables(inside: &str) -> BTreeMap<String, String> {
    let home = format!("{inside}/{HOME}");
    [
        ("PIP_TARGET", format!("{home}/{PYTHON_HOME}")),
        ("PIP_DISABLE_PIP_VERSION_CHECK", "1".to_owned()),
        ("PYTHONPATH", format!("{home}/{PYTHON_HOME}")),
        ("REPRISE_PATH", format!("{home}/{PYTHON_HOME}/bin")),
        ("HOME", home),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .into()
}
