//! A shell whose only command is a program of somebody else's.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

use super::open::{LastingEnvironment, sandbox_of};
use super::workspace::{HOME, make_folders, was_used};
use crate::domain::execution::Ending;
use crate::domain::failure::FailureCause;
use crate::domain::workspace_path::WorkspacePath;
use crate::effects::environment::SessionTerms;
use crate::effects::made_environment::MadeEnvironment;
use crate::effects::program::session::{
    ClosedProgram, OpenedProgram, ProgramLook, ProgramOrder, ProgramPlace, ProgramSession, ProgramStanding,
};
use crate::engine::error::EngineError;
use crate::run::program::SessionOver;
use crate::sandbox::contract::{INSIDE, Lines, Sandbox, SandboxError};
use crate::sandbox::session::exchange::ControlWord;
use crate::sandbox::session::processes::{ProcessRecording, ProcessSight};
use crate::sandbox::session::reply::{CommandStanding, ShellReply};
use crate::sandbox::session::shell::{SessionSpec, ShellSession};
use crate::tools::workspace::Workspace;

/// The folders of a program; the sandboxes that can run one show the workspace at one place.
pub fn place() -> Option<ProgramPlace> {
    Some(ProgramPlace {
        workspace: INSIDE.to_owned(),
        start: WorkspacePath::WORK.parse().ok()?,
        home: HOME.parse().ok()?,
    })
}

/// Refuses a sandbox in which a program could not reach the model.
///
/// # Errors
/// Why it could not, and the way out.
pub fn ensure_reachable(sandbox: &dyn Sandbox) -> Result<(), EngineError> {
    sandbox.opens_gateway().map_err(|why| {
        EngineError::Unusable(format!(
            "a program that is the agent cannot reach the model from here: {why}; choose `--sandbox docker`, or a machine \
             that allows namespaces"
        ))
    })
}

/// Makes room for the session of a program: what an engine that is gone has left running is ended.
///
/// # Errors
/// A run without a sandbox, or a sandbox or a folder that cannot be used.
pub async fn clear(terms: &SessionTerms<'_>) -> Result<(), EngineError> {
    let sandbox = sandbox_of(terms)?;
    std::fs::create_dir_all(&terms.streams).map_err(|error| EngineError::io(&terms.streams, error))?;
    Ok(sandbox.sweep(&terms.owner).await?)
}

/// Opens a shell for a program in the environment of a task, over a workspace as the run began with it, or
/// as acts for it have left it.
///
/// # Errors
/// A sandbox in which a program could not reach the model, packages that cannot be had, or a workspace
/// that cannot be laid out or written.
pub async fn open_in<E: LastingEnvironment>(
    environment: &E,
    terms: &SessionTerms<'_>,
    order: &ProgramOrder,
    cancel: &CancellationToken,
    progress: Lines<'_>,
) -> Result<OpenedProgram, EngineError> {
    let sandbox = sandbox_of(terms)?;
    ensure_reachable(sandbox.as_ref())?;
    let made = environment
        .made(terms, sandbox.as_ref(), cancel, progress)
        .await?;
    clear(terms).await?;
    // What a program whose engine was killed did there is not known; what was done for this one stands.
    let was_used = [E::EXCHANGE, E::PROGRAM_EXCHANGE]
        .iter()
        .any(|exchange| was_used(&terms.workspace, exchange));
    if was_used && terms.acts_before.is_empty() {
        environment.lay_out_again(terms)?;
    }
    make_folders(&terms.workspace, &[E::PROGRAM_EXCHANGE])?;
    let spec = environment.program_specification(terms, &made)?;
    open(terms, order, made, spec).await
}

/// Opens a shell for a program over a workspace that is as the program is to find it.
///
/// # Errors
/// A sandbox that cannot be opened, or a workspace that cannot be written.
pub async fn open(
    terms: &SessionTerms<'_>,
    order: &ProgramOrder,
    made: MadeEnvironment,
    mut spec: SessionSpec,
) -> Result<OpenedProgram, EngineError> {
    let sandbox = sandbox_of(terms)?;
    let workspace =
        Workspace::open(&terms.workspace).map_err(|error| EngineError::io(&terms.workspace, error))?;
    for file in &order.files {
        let written = workspace.replace(&file.path, &file.bytes);
        written.map_err(|error| EngineError::io(&file.path.below(&terms.workspace), error))?;
    }
    spec.gateway = Some(order.gateway.clone());
    spec.beside.clone_from(&order.beside);
    // Without its engine it would ask a model that nobody answers for.
    spec.lasting = false;
    spec.variables.extend(order.variables.clone());
    let shell = ShellSession::open(Arc::clone(sandbox), &spec).await?;
    Ok(OpenedProgram {
        session: Box::new(ProgramShell {
            shell,
            recording: None,
            notes: made.notes.clone(),
        }),
        made,
    })
}

struct ProgramShell {
    shell: ShellSession,
    /// The record of its processes, once the program is started.
    recording: Option<ProcessRecording>,
    /// How its environment differs from the published one.
    notes: Vec<String>,
}

impl ProgramShell {
    fn look(&self, reply: &ShellReply) -> ProgramLook {
        ProgramLook {
            standing: match &reply.standing {
                CommandStanding::Running => ProgramStanding::Running,
                CommandStanding::Ended(status) | CommandStanding::ShellGone(status) => {
                    ProgramStanding::Exited(*status)
                }
                CommandStanding::SessionOver(why) => ProgramStanding::SessionOver(SessionOver {
                    cause: cause(self.shell.ending()),
                    why: why.clone(),
                }),
            },
            output: reply.output.text(),
        }
    }
}

/// The cause of a session's end under its program.
fn cause(ending: Option<Ending>) -> FailureCause {
    match ending {
        Some(Ending::TimedOut) => FailureCause::Timeout,
        Some(Ending::OutOfMemory) => FailureCause::OutOfMemory,
        Some(Ending::Cancelled) => FailureCause::Interrupted,
        Some(Ending::Exited(_) | Ending::Signalled(_)) => FailureCause::Implementation,
        None => FailureCause::Infrastructure,
    }
}

#[async_trait]
impl ProgramSession for ProgramShell {
    async fn start(&mut self, command: &str) -> Result<(), EngineError> {
        let mark = self.shell.mark().to_owned();
        let recording = tokio::task::spawn_blocking(move || ProcessRecording::start(&mark)).await;
        self.recording = recording.ok();
        // What it prints by then is told with the first look.
        self.shell.give(command).await.map_err(SandboxError::into)
    }

    async fn wait(&mut self, patience: Duration) -> Result<ProgramLook, EngineError> {
        let reply = self.shell.wait(patience).await?;
        Ok(self.look(&reply))
    }

    async fn kill(&mut self) -> Result<ProgramLook, EngineError> {
        let reply = self.shell.stop(ControlWord::Kill).await?;
        Ok(self.look(&reply))
    }

    async fn close(self: Box<Self>) -> ClosedProgram {
        let recording = self.recording;
        let finished = tokio::task::spawn_blocking(move || recording.map(ProcessRecording::finish)).await;
        let sight = finished.ok().flatten();
        let mut notes = self.notes;
        notes.extend(self.shell.close().await);
        ClosedProgram {
            notes,
            sight: sight
                .unwrap_or_else(|| ProcessSight::NotObserved("the program was not started".to_owned())),
        }
    }
}
