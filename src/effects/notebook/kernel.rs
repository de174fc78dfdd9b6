//! The environment `kernel`: one kernel of IPython in a sandbox.

use std::sync::Arc;

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

use super::beforehand_act::is_beforehand;
use super::environment::{WantedKernel, wanted, without_kernel};
use super::introduction::{confinement, hosts, introduced};
use super::open_kernel::OpenKernel;
use super::staging::{self, EXCHANGE, PROGRAM_EXCHANGE};
use crate::domain::execution::Tier;
use crate::effects::environment::{ActBefore, ConfinementTerms, Environment, OpenedSession, SessionTerms};
use crate::effects::lasting::open::{self as lasting, LastingEnvironment, LastingSpec};
use crate::effects::lasting::program_shell;
use crate::effects::lock_wish::LockWish;
use crate::effects::made_environment::MadeEnvironment;
use crate::effects::program::session::{OpenedProgram, ProgramOrder, ProgramPlace};
use crate::engine::error::EngineError;
use crate::notebook::act::CellRecord;
use crate::notebook::window::FileView;
use crate::run::event::RunStarted;
use crate::sandbox::contract::{INSIDE, Lines, Sandbox};
use crate::sandbox::session::kernel::KernelSession;
use crate::sandbox::session::reply::CommandsBefore;
use crate::sandbox::session::shell::{SessionKind, SessionSpec};
use crate::tools::contract::Tool;
use crate::tools::notebook::{ContinueWait, Edit, Execute, FileCommands, Interrupt, SubmitAnswer};

/// The name of the environment.
pub const NAME: &str = "kernel";

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
            Arc::new(FileCommands),
            Arc::new(ContinueWait),
            Arc::new(Interrupt),
            Arc::new(SubmitAnswer),
        ]
    }

    fn needs_sandbox(&self) -> bool {
        true
    }

    fn wished(&self, terms: ConfinementTerms<'_>, _: &RunStarted) -> Option<LockWish> {
        // Packages of the system are no lock's.
        let wanted = wanted(terms.request.notebook.as_ref(), None, false).ok()?;
        Some(LockWish {
            spec: wanted.spec,
            keeps_image: false,
        })
    }

    fn confinement(&self, terms: ConfinementTerms<'_>) -> String {
        confinement(terms)
    }

    fn program_place(&self) -> Option<ProgramPlace> {
        program_shell::place()
    }

    async fn open_program(
        &self,
        terms: &SessionTerms<'_>,
        order: &ProgramOrder,
        cancel: &CancellationToken,
        progress: Lines<'_>,
    ) -> Result<OpenedProgram, EngineError> {
        program_shell::open_in(self, terms, order, cancel, progress).await
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
        if opened.is_taken_up {
            session = session.viewing(last_view(terms.acts_before));
        }
        // An agent that has acted in another process was introduced there, and a published one is by its
        // prompt, whose history is the same on every machine.
        let is_published = notebook.is_some_and(|terms| terms.agent.is_some());
        if !is_published && terms.acts_before.iter().all(|act| is_beforehand(&act.action)) {
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
    const PROGRAM_EXCHANGE: &str = PROGRAM_EXCHANGE;

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
        let request = terms.confinement.request;
        let lock = terms.confinement.lock;
        let wanted = wanted(request.notebook.as_ref(), lock, needs_git);
        let WantedKernel { spec, mut notes } =
            wanted.map_err(|misfit| EngineError::Unusable(misfit.to_string()))?;
        let fault = |failure| EngineError::Environment(without_kernel(failure));
        let digest = sandbox.resolve(&spec).await.map_err(fault)?;
        let environment = sandbox.prepare(&spec, cancel, progress).await.map_err(fault)?;
        notes.extend(
            lock.into_iter()
                .flat_map(|lock| lock.differences_of(&environment)),
        );
        Ok(MadeEnvironment {
            digest,
            tier: sandbox.tier(),
            environment,
            notes,
        })
    }

    fn specification(
        &self,
        terms: &SessionTerms<'_>,
        made: &MadeEnvironment,
    ) -> Result<SessionSpec, EngineError> {
        session_of(terms, made, SessionKind::Kernel)
    }

    fn program_specification(
        &self,
        terms: &SessionTerms<'_>,
        made: &MadeEnvironment,
    ) -> Result<SessionSpec, EngineError> {
        // In a shell over the same environment.
        session_of(terms, made, SessionKind::Shell)
    }

    fn before(&self, acts: &[ActBefore]) -> CommandsBefore {
        cells_before(acts)
    }

    fn lay_out_again(&self, terms: &SessionTerms<'_>) -> Result<(), EngineError> {
        staging::lay_out_again(terms)
    }
}

/// A session of a kind over the run's workspace.
fn session_of(
    terms: &SessionTerms<'_>,
    made: &MadeEnvironment,
    kind: SessionKind,
) -> Result<SessionSpec, EngineError> {
    let own = LastingSpec {
        kind,
        exchange: match kind {
            SessionKind::Kernel => EXCHANGE,
            SessionKind::Shell => PROGRAM_EXCHANGE,
        },
        hosts: hosts(terms.confinement),
        variables: lasting::variables(INSIDE),
    };
    lasting::specification(terms, made, own)
}

/// The file that was open in a window last.
fn last_view(acts: &[ActBefore]) -> Option<FileView> {
    let records = acts.iter().rev().filter_map(|act| act.kept.clone());
    let mut records = records.filter_map(|kept| serde_json::from_value::<CellRecord>(kept).ok());
    records.find_map(|record| record.view)
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
