//! The environment `kernel`: one kernel of IPython in a sandbox.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

use super::beforehand_act::is_beforehand;
use super::introduction::{confinement, hosts, introduced};
use super::open_kernel::OpenKernel;
use super::staging::{self, EXCHANGE, HOME, PYTHON_HOME};
use crate::domain::execution::{BuildFailure, EnvironmentSpec, Tier};
use crate::domain::workspace_path::WorkspacePath;
use crate::effects::environment::{ActBefore, ConfinementTerms, Environment, OpenedSession, SessionTerms};
use crate::effects::made_environment::MadeEnvironment;
use crate::engine::error::EngineError;
use crate::engine::request::NotebookRequest;
use crate::notebook::act::CellRecord;
use crate::sandbox::contract::{INSIDE, Lines, Sandbox};
use crate::sandbox::session::kernel::{self, KernelSession};
use crate::sandbox::session::reply::CommandsBefore;
use crate::sandbox::session::shell::{SessionKind, SessionSpec};
use crate::tools::contract::Tool;
use crate::tools::notebook::{ContinueWait, Edit, Execute, Interrupt, SubmitAnswer};

/// The name of the environment.
pub const NAME: &str = "kernel";

/// The package by which cells clone repositories.
const GIT: &str = "git";

/// Kernels for attempts at notebook tasks.
pub struct Kernel;

#[async_trait]
impl Environment for Kernel {
    fn name(&self) -> &str {
        NAME
    }

    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        vec![
            Arc::new(Execute),
            Arc::new(Edit),
            Arc::new(ContinueWait),
            Arc::new(Interrupt),
            Arc::new(SubmitAnswer),
        ]
    }

    fn needs_sandbox(&self) -> bool {
        true
    }

    fn confinement(&self, terms: ConfinementTerms<'_>) -> String {
        confinement(terms)
    }

    async fn lives_on(&self, terms: &SessionTerms<'_>) -> Result<bool, EngineError> {
        match terms.confinement.sandbox {
            Some(sandbox) => Ok(sandbox.has_lasting(&terms.confinement.request.run).await?),
            None => Ok(false),
        }
    }

    async fn open(
        &self,
        terms: &SessionTerms<'_>,
        cancel: &CancellationToken,
        progress: Lines<'_>,
    ) -> Result<OpenedSession, EngineError> {
        let Some(sandbox) = terms.confinement.sandbox.cloned() else {
            return Err(EngineError::Unusable(
                "this run was started without a sandbox".to_owned(),
            ));
        };
        std::fs::create_dir_all(&terms.streams).map_err(|error| EngineError::io(&terms.streams, error))?;
        // What an engine that is gone has left is looked for first, as a shell's is.
        if let Some(made) = terms.made_before
            && let Some(kernel) = taken_up(&sandbox, terms, made).await?
        {
            return Ok(opened(terms, made.clone(), kernel, true));
        }
        let made = made(terms, sandbox.as_ref(), cancel, progress).await?;
        if let Some(kernel) = taken_up(&sandbox, terms, &made).await? {
            return Ok(opened(terms, made, kernel, true));
        }
        sandbox.sweep(&terms.confinement.request.run).await?;
        if !terms.acts_before.is_empty() || staging::was_used(&terms.workspace) {
            staging::lay_out_again(terms)?;
        }
        let spec = specification(terms, &made)?;
        let kernel = KernelSession::open(Arc::clone(&sandbox), &spec).await?;
        Ok(opened(terms, made, kernel, false))
    }
}

/// The environment that an attempt asks for: the kernel itself, and what is to be there besides.
fn wanted(notebook: Option<&NotebookRequest>, needs_git: bool) -> EnvironmentSpec {
    let Some(notebook) = notebook else {
        return kernel::environment(&[]);
    };
    let mut system = notebook.system.clone();
    if needs_git && !system.iter().any(|name| name == GIT) {
        system.push(GIT.to_owned());
    }
    EnvironmentSpec {
        system,
        ..kernel::environment(&notebook.packages)
    }
}

async fn made(
    terms: &SessionTerms<'_>,
    sandbox: &dyn Sandbox,
    cancel: &CancellationToken,
    progress: Lines<'_>,
) -> Result<MadeEnvironment, EngineError> {
    let copied = terms
        .started
        .notebook
        .as_ref()
        .and_then(|terms| terms.repository.as_ref());
    // Elsewhere it is the machine's own.
    let needs_git = sandbox.tier() == Tier::Docker && copied.is_some_and(|copied| copied.is_cloned);
    let spec = wanted(terms.confinement.request.notebook.as_ref(), needs_git);
    let fault = |failure| EngineError::Environment(without_kernel(failure));
    let digest = sandbox.resolve(&spec).await.map_err(fault)?;
    let environment = sandbox.prepare(&spec, cancel, progress).await.map_err(fault)?;
    Ok(MadeEnvironment {
        digest,
        tier: sandbox.tier(),
        environment,
        notes: Vec::new(),
    })
}

/// A failure to make an environment, with what a machine has to have for one.
fn without_kernel(failure: BuildFailure) -> BuildFailure {
    BuildFailure {
        summary: format!(
            "{} A notebook needs {} in its sandbox, which are installed once from the package index of Python: let this \
             machine reach it, name a mirror of it in PIP_INDEX_URL, or run where they were installed before.",
            failure.summary,
            kernel::PACKAGES.join(" and ")
        ),
        ..failure
    }
}

/// The kernel of an engine that is gone, where it lives in that environment.
async fn taken_up(
    sandbox: &Arc<dyn Sandbox>,
    terms: &SessionTerms<'_>,
    made: &MadeEnvironment,
) -> Result<Option<KernelSession>, EngineError> {
    if made.tier != sandbox.tier() {
        return Ok(None);
    }
    let spec = specification(terms, made)?;
    Ok(KernelSession::take_up(sandbox, &spec, cells_before(terms.acts_before)).await?)
}

/// A kernel over the run's workspace, in an environment that was made.
fn specification(terms: &SessionTerms<'_>, made: &MadeEnvironment) -> Result<SessionSpec, EngineError> {
    let request = terms.confinement.request;
    let parse = |path: &str| -> Result<WorkspacePath, EngineError> {
        path.parse()
            .map_err(|error| EngineError::Unusable(format!("{error}")))
    };
    Ok(SessionSpec {
        run: request.run.clone(),
        kind: SessionKind::Kernel,
        environment: made.environment.clone(),
        workspace: terms.workspace.clone(),
        directory: parse(WorkspacePath::WORK)?,
        exchange: parse(EXCHANGE)?,
        writable: vec![parse(WorkspacePath::WORK)?, parse(HOME)?],
        variables: variables(),
        limits: request.limits,
        hosts: hosts(terms.confinement).to_vec(),
        gateway: None,
        beside: None,
        lasting: true,
        streams: terms.streams.clone(),
    })
}

fn opened(
    terms: &SessionTerms<'_>,
    made: MadeEnvironment,
    kernel: KernelSession,
    is_taken_up: bool,
) -> OpenedSession {
    let notebook = terms.started.notebook.as_ref();
    let copied = notebook.and_then(|terms| terms.repository.as_ref());
    let mut notes = made.notes.clone();
    notes.extend(copied.map(|copied| copied.sentence()));
    let mut session = OpenKernel::new(kernel, notebook, notes);
    // An agent that has acted in another process was introduced there.
    if terms.acts_before.iter().all(|act| is_beforehand(&act.action)) {
        session = session.introducing(introduced(terms.confinement));
    }
    OpenedSession {
        session: Box::new(session),
        is_taken_up,
        made: Some(made),
    }
}

/// The cells of the journal that the kernel was given, and how much was told of the last.
fn cells_before(acts: &[ActBefore]) -> CommandsBefore {
    let records = acts.iter().filter_map(|act| act.kept.clone());
    let records = records.filter_map(|kept| serde_json::from_value::<CellRecord>(kept).ok());
    let before = CommandsBefore::default();
    records.fold(before, |before, record| CommandsBefore {
        number: before.number + record.cells,
        told: match record.file {
            Some(_) => record.upto,
            None => before.told,
        },
    })
}

/// Variables by which installations go to where they may be written.
fn variables() -> BTreeMap<String, String> {
    let home = format!("{INSIDE}/{HOME}");
    [
        ("HOME", home.clone()),
        ("PIP_TARGET", format!("{home}/{PYTHON_HOME}")),
        ("PIP_DISABLE_PIP_VERSION_CHECK", "1".to_owned()),
        ("PYTHONPATH", format!("{home}/{PYTHON_HOME}")),
        ("REPRISE_PATH", format!("{home}/{PYTHON_HOME}/bin")),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .into()
}
