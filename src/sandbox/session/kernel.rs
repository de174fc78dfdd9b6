//! One kernel of IPython in a sandbox: cells, whose state lasts from one to the next.
//!
//! A relay of ours (`serve_kernel.py`) runs in the sandbox beside the kernel, speaks Jupyter's
//! protocol with it over sockets in a folder that no other sandbox sees, and exchanges files with
//! the engine as a shell does. So no port is open, no message of a kernel is parsed by the
//! engine, and an engine that is killed finds the kernel again as it finds a shell.

use std::sync::Arc;
use std::time::Duration;

use super::exchange::ControlWord;
use super::reply::{CappedOutput, CommandStanding, CommandsBefore, ShellReply};
use super::shell::{SessionKind, SessionSpec, ShellSession};
use crate::domain::execution::EnvironmentSpec;
use crate::sandbox::contract::{Sandbox, SandboxError};

/// The packages of Python that an environment of a kernel has.
pub const PACKAGES: [&str; 2] = ["ipykernel>=6.29,<8", "jupyter_client>=8,<9"];

/// The oldest Python that [`PACKAGES`] are made for.
pub const OLDEST_PYTHON: &str = "3.8";

/// The end of a cell that raised, as the relay writes it; up to 255 it is the status of the cell's
/// last command.
const RAISED: i32 = 256;
/// The end of a cell that was interrupted.
const INTERRUPTED: i32 = 257;

/// The standing of a cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CellStanding {
    /// It came to its end; `status` is that of its last `!` command, 0 where it had none.
    Done {
        status: i32,
    },
    /// It raised.
    Failed,
    Interrupted,
    /// It still runs.
    Running,
    /// It took its kernel with it, which ended with this status: another stands in its place,
    /// without its state.
    KernelGone(i32),
    /// The whole session is over; the reason in words.
    SessionOver(String),
}

/// The reply of a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CellReply {
    pub standing: CellStanding,
    /// The cell before, where it still ran and was interrupted for this one; else `None`.
    pub interrupted: Option<CellStanding>,
    /// What was written since the last reply on the same cell, in the order of its arrival.
    pub output: CappedOutput,
    /// The byte behind what was told, in the file with the whole of it.
    pub upto: u64,
    /// The name of that file, in the folder of the exchange.
    pub file: String,
}

/// A kernel that lives. It ends with this value, and whatever it runs ends with it.
pub struct KernelSession {
    session: ShellSession,
}

/// The environment of a kernel with further packages of Python.
pub fn environment(packages: &[String]) -> EnvironmentSpec {
    let own = PACKAGES.map(str::to_owned);
    EnvironmentSpec {
        python: Some(own.into_iter().chain(packages.iter().cloned()).collect()),
        ..EnvironmentSpec::default()
    }
}

/// Whether a kernel's packages can be had for a version of Python.
pub fn runs_on(python: &str) -> bool {
    let numbers = |version: &str| -> Vec<u32> {
        let parts = version.split('.');
        parts.map_while(|part| part.parse().ok()).collect()
    };
    numbers(python) >= numbers(OLDEST_PYTHON)
}

impl KernelSession {
    /// Starts a kernel and waits until it listens.
    ///
    /// # Errors
    /// A sandbox that does not start, or has none of [`PACKAGES`].
    pub async fn open(sandbox: Arc<dyn Sandbox>, spec: &SessionSpec) -> Result<Self, SandboxError> {
        Ok(Self {
            session: ShellSession::open(sandbox, &of_kernel(spec)).await?,
        })
    }

    /// Takes up the kernel of an engine that is gone; `None` where no such kernel is there.
    ///
    /// # Errors
    /// A sandbox that does not answer.
    pub async fn take_up(
        sandbox: &Arc<dyn Sandbox>,
        spec: &SessionSpec,
        before: CommandsBefore,
    ) -> Result<Option<Self>, SandboxError> {
        let session = ShellSession::take_up(sandbox, &of_kernel(spec), before).await?;
        Ok(session.map(|session| Self { session }))
    }

    /// Whether the last cell still runs.
    pub async fn is_busy(&mut self) -> bool {
        self.session.is_busy().await
    }

    /// Executes a cell and waits for at most `patience`; then it still runs, to be waited for or
    /// interrupted. A cell before it that still runs is interrupted; one that does not end thereby
    /// loses its kernel.
    ///
    /// # Errors
    /// A kernel that cannot be given a cell although it lives.
    pub async fn execute(&mut self, cell: &str, patience: Duration) -> Result<CellReply, SandboxError> {
        let interrupted = match self.is_busy().await {
            true => Some(self.interrupt().await?.standing),
            false => None,
        };
        let reply = self.session.run(cell, patience).await?;
        Ok(CellReply {
            interrupted,
            ..cell_reply(reply)
        })
    }

    /// Waits for the cell under way for at most `patience`; only what it wrote since is told.
    ///
    /// # Errors
    /// None but those of the sandbox.
    pub async fn wait(&mut self, patience: Duration) -> Result<CellReply, SandboxError> {
        Ok(cell_reply(self.session.wait(patience).await?))
    }

    /// Interrupts the cell under way. One that does not end thereby loses its kernel.
    ///
    /// # Errors
    /// A session that is over.
    pub async fn interrupt(&mut self) -> Result<CellReply, SandboxError> {
        let reply = self.session.stop(ControlWord::Interrupt).await?;
        if reply.standing != CommandStanding::Running {
            return Ok(cell_reply(reply));
        }
        Ok(cell_reply(self.session.stop(ControlWord::Kill).await?))
    }

    /// Ends the kernel and whatever it runs, and returns what the sandbox has to say of it.
    pub async fn close(self) -> Vec<String> {
        self.session.close().await
    }
}

fn of_kernel(spec: &SessionSpec) -> SessionSpec {
    SessionSpec {
        kind: SessionKind::Kernel,
        ..spec.clone()
    }
}

fn cell_reply(reply: ShellReply) -> CellReply {
    CellReply {
        standing: match reply.standing {
            CommandStanding::Ended(RAISED) => CellStanding::Failed,
            CommandStanding::Ended(INTERRUPTED) => CellStanding::Interrupted,
            CommandStanding::Ended(status) => CellStanding::Done { status },
            CommandStanding::ShellGone(status) => CellStanding::KernelGone(status),
            CommandStanding::Running => CellStanding::Running,
            CommandStanding::SessionOver(why) => CellStanding::SessionOver(why),
        },
        interrupted: None,
        output: reply.output,
        upto: reply.upto,
        file: reply.file,
    }
}
