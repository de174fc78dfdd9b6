//! Environments with sessions, for the stages of a track that act in more than one confined
//! execution of approved commands: a shell, a kernel, another's agent.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::domain::ids::RunId;
use crate::domain::workspace_path::WorkspacePath;
use crate::engine::error::EngineError;
use crate::engine::request::RunRequest;
use crate::environment::lock::EnvironmentLock;
use crate::run::event::RunStarted;
use crate::sandbox::contract::{Lines, Sandbox};
use crate::tools::contract::{Observation, Tool};

use super::lock_wish::LockWish;
use super::made_environment::MadeEnvironment;
use super::program::session::{OpenedProgram, ProgramOrder, ProgramPlace};

/// The terms of a session that confine it, and that its approval is of.
#[derive(Clone, Copy)]
pub struct ConfinementTerms<'a> {
    pub request: &'a RunRequest,
    /// `None` where the environment asks for no sandbox.
    pub sandbox: Option<&'a Arc<dyn Sandbox>>,
    /// The lock that its packages are held to.
    pub lock: Option<&'a EnvironmentLock>,
}

/// The run that a session is opened for.
#[derive(Clone)]
pub struct SessionTerms<'a> {
    pub confinement: ConfinementTerms<'a>,
    pub started: &'a RunStarted,
    /// The run as its sandbox knows it.
    pub owner: RunId,
    pub workspace: PathBuf,
    /// A folder outside the workspace for what a sandbox itself says.
    pub streams: PathBuf,
    /// The acts of the journal, which a session that is opened anew does again; of a program's session
    /// those that were done for it beforehand, whose workspace it begins over.
    pub acts_before: &'a [ActBefore],
    /// The environment of the journal that was made last, which a session that lives on stands in.
    pub made_before: Option<&'a MadeEnvironment>,
}

/// An act of an earlier process.
#[derive(Debug, Clone, PartialEq)]
pub struct ActBefore {
    pub action: Value,
    /// Whether it did what it was asked to.
    pub ok: bool,
    /// What it came to.
    pub seen: String,
    /// What the environment kept of it.
    pub kept: Option<Value>,
    /// Its tool and its turn, for people.
    pub place: String,
}

/// The environment of a track.
#[async_trait]
pub trait Environment: Send + Sync {
    /// The name that a track's definition chooses it by.
    fn name(&self) -> &str;

    /// The tools that agents act through; each leads to [`crate::tools::contract::Request::Act`].
    fn tools(&self) -> Vec<Arc<dyn Tool>>;

    /// Whether its sessions live in a sandbox, so that a run needs one.
    fn needs_sandbox(&self) -> bool {
        false
    }

    /// Whether the session of a process that is gone lives on, to be taken up by [`Self::open`].
    ///
    /// # Errors
    /// A machine that does not answer.
    async fn lives_on(&self, _: &SessionTerms<'_>) -> Result<bool, EngineError> {
        Ok(false)
    }

    /// The packages that its sessions are to have, before they are held to a lock; `None` where a lock of the
    /// run's day would hold nothing.
    fn wished(&self, _: ConfinementTerms<'_>, _: &RunStarted) -> Option<LockWish> {
        None
    }

    /// What confines a session, in sentences for the person who approves it.
    fn confinement(&self, terms: ConfinementTerms<'_>) -> String;

    /// The folders of a program of somebody else's, where one can be started here.
    fn program_place(&self) -> Option<ProgramPlace> {
        None
    }

    /// Opens a session for a program over a run's workspace; one that was used before is begun anew.
    ///
    /// # Errors
    /// An environment or a sandbox that runs no programs, or a machine that keeps it from being opened.
    async fn open_program(
        &self,
        _: &SessionTerms<'_>,
        _: &ProgramOrder,
        _: &CancellationToken,
        _: Lines<'_>,
    ) -> Result<OpenedProgram, EngineError> {
        let name = self.name();
        Err(EngineError::Unusable(format!(
            "the environment `{name}` runs no program"
        )))
    }

    /// The text of a command that an act gives to a session, for whoever decides on single ones; `None`
    /// of an act that gives none.
    fn command(&self, _action: &Value) -> Option<String> {
        None
    }

    /// Opens a session over a run's workspace.
    ///
    /// # Errors
    /// Where the machine, not the agent, keeps it from being opened.
    async fn open(
        &self,
        terms: &SessionTerms<'_>,
        cancel: &CancellationToken,
        progress: Lines<'_>,
    ) -> Result<OpenedSession, EngineError>;
}

/// A session that was opened.
pub struct OpenedSession {
    pub session: Box<dyn EnvironmentSession>,
    /// What was made for it.
    pub made: Option<MadeEnvironment>,
    /// True of the session of a process that is gone, in which nothing has to be done again.
    pub is_taken_up: bool,
}

impl OpenedSession {
    /// A session for which nothing had to be made.
    pub fn new(session: Box<dyn EnvironmentSession>) -> Self {
        Self {
            session,
            made: None,
            is_taken_up: false,
        }
    }
}

/// An act that was left before its end.
#[derive(Debug, Clone, PartialEq)]
pub struct LeftAct {
    pub observation: Observation,
    /// The act as it was done up to there.
    pub action: Value,
}

/// A session, which lives as long as the process that carries the run. Whatever it held
/// is brought back in the next process by the same acts.
#[async_trait]
pub trait EnvironmentSession: Send + Sync {
    /// Does what a tool asked for. Whatever is the agent's to mend is an observation.
    ///
    /// # Errors
    /// Where the machine, not the agent, keeps it from being done.
    async fn act(&mut self, action: &Value, cancel: &CancellationToken) -> Result<Observation, EngineError>;

    /// What is to be kept of the last act besides what its agent is told; once.
    fn take_record(&mut self) -> Option<Value> {
        None
    }

    /// Whether an act can be left before its end, by dropping [`Self::act`], which goes on by itself then.
    fn can_be_left(&self, _action: &Value) -> bool {
        false
    }

    /// Leaves an act that was under way for so long, and says how it stands.
    ///
    /// # Errors
    /// Where the machine, not the agent, keeps it from being looked at.
    async fn leave(&mut self, action: &Value, _after: Duration) -> Result<LeftAct, EngineError> {
        Ok(LeftAct {
            observation: Observation::bad("It goes on, and cannot be looked at."),
            action: action.clone(),
        })
    }

    /// The folder of the workspace that it stands in; `None` of one that stands where it began, or outside
    /// the workspace.
    ///
    /// # Errors
    /// Where the machine, not the agent, keeps it from being looked at.
    async fn folder(&mut self) -> Result<Option<WorkspacePath>, EngineError> {
        Ok(None)
    }

    /// Ends it, and returns what is to be known of it, a sentence each.
    async fn close(self: Box<Self>) -> Vec<String> {
        Vec::new()
    }
}
