//! The environment `kernel`: one kernel of IPython in a sandbox.

use std::sync::Arc;

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

use super::beforehand_act::is_beforehand;
use super::introduction::{confinement, hosts, introduced};
use super::open_kernel::OpenKernel;
use super::staging::{self, EXCHANGE};
use crate::domain::execution::{BuildFailure, EnvironmentSpec, Tier};
use crate::effects::environment::{ActBefore, ConfinementTerms, Environment, OpenedSession, SessionTerms};
use crate::effects::lasting::open::{self as lasting, LastingEnvironment, LastingSpec};
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
        lasting::lives_on(terms).await
    }

    async fn open(
        &self,
        terms: &SessionTerms<'_>,
        cancel: &CancellationToken,
        progress: Lines<'_>,
    ) -> Result<OpenedSession, EngineError> {
        let opened = lasting::open(self, terms, cancel, progress).await?;
        let notebook = terms.started.notebook.as_ref();
        let copied = notebook.and_then(|terms| terms.repository.as_ref());
        let mut notes = opened.made.notes.clone();
        notes.extend(copied.map(|copied| copied.sentence()));
        let mut session = OpenKernel::new(opened.session, notebook, notes);
        // An agent that has acted in another process was introduced there.
        if terms.acts_before.iter().all(|act| is_beforehand(&act.action)) {
            session = session.introducing(introduced(terms.confinement));
        }
        Ok(OpenedSession {
            session: Box::new(session),
            is_taken_up: opened.is_taken_up,
            made: Some(opened.made),
        })
    }
}

#[async_trait]
impl LastingEnvironment for Kernel {
    type Session = KernelSession;

    const EXCHANGE: &str = EXCHANGE;

    async fn made(
        &self,
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

    fn specification(
        &self,
        terms: &SessionTerms<'_>,
        made: &MadeEnvironment,
    ) -> Result<SessionSpec, EngineError> {
        let own = LastingSpec {
            kind: SessionKind::Kernel,
            exchange: EXCHANGE,
            hosts: hosts(terms.confinement),
            variables: lasting::variables(INSIDE),
        };
        lasting::specification(terms, made, own)
    }

    fn before(&self, acts: &[ActBefore]) -> CommandsBefore {
        cells_before(acts)
    }

    fn lay_out_again(&self, terms: &SessionTerms<'_>) -> Result<(), EngineError> {
        staging::lay_out_again(terms)
    }
}
/// The environment that an attempt asks for: the kernel itself, and what is to be there besides.
pub fn wanted(notebook: Option<&NotebookRequest>, needs_git: bool) -> EnvironmentSpec {
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
