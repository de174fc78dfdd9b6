//! The session of a program in a task's environment.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use async_trait::async_trait;

use crate::domain::workspace_path::WorkspacePath;
use crate::effects::made_environment::MadeEnvironment;
use crate::engine::error::EngineError;
use crate::run::program::SessionOver;
use crate::sandbox::session::processes::ProcessSight;

/// The needs of a program that is to be started.
#[derive(Debug, Clone)]
pub struct ProgramOrder {
    /// The socket that its calls of the model lead to.
    pub gateway: PathBuf,
    /// A folder of the host with its files, which it sees read-only.
    pub beside: Option<PathBuf>,
    pub variables: BTreeMap<String, String>,
    pub files: Vec<ProgramFile>,
}

/// A file that a program finds in the workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramFile {
    pub path: WorkspacePath,
    pub bytes: Vec<u8>,
}

/// The folders of a program, as it sees them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramPlace {
    /// The workspace.
    pub workspace: String,
    /// The folder that it starts in, below the workspace.
    pub start: WorkspacePath,
    /// Its home, below the workspace.
    pub home: WorkspacePath,
}

impl ProgramPlace {
    /// A path of the workspace, as the program sees it.
    pub fn seen(&self, path: &WorkspacePath) -> String {
        format!("{}/{path}", self.workspace)
    }
}

/// A session in which a program can be started.
pub struct OpenedProgram {
    pub session: Box<dyn ProgramSession>,
    pub made: MadeEnvironment,
}

/// The standing of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProgramStanding {
    Running,
    Exited(i32),
    SessionOver(SessionOver),
}

/// A look at a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramLook {
    pub standing: ProgramStanding,
    /// What it printed since the last look.
    pub output: String,
}

/// A session that was ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClosedProgram {
    /// What is to be known of it, a sentence each.
    pub notes: Vec<String>,
    /// The processes that were seen in it from outside.
    pub sight: ProcessSight,
}

/// A session whose only command is a program.
#[async_trait]
pub trait ProgramSession: Send + Sync {
    /// Starts the program, in the words of a shell.
    ///
    /// # Errors
    /// A session that cannot be given a command.
    async fn start(&mut self, command: &str) -> Result<(), EngineError>;

    /// Waits for its end for at most so long. May be dropped: nothing of its output is lost thereby.
    ///
    /// # Errors
    /// A sandbox that fails.
    async fn wait(&mut self, patience: Duration) -> Result<ProgramLook, EngineError>;

    /// Ends it, and whatever it runs.
    ///
    /// # Errors
    /// A sandbox that fails.
    async fn kill(&mut self) -> Result<ProgramLook, EngineError>;

    /// Ends the session.
    async fn close(self: Box<Self>) -> ClosedProgram;
}
