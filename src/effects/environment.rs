//! Environments with sessions, for the stages of a track that act in more than one confined
//! execution of approved commands: a shell, a kernel, another's agent.

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::engine::error::EngineError;
use crate::tools::contract::{Observation, Tool};

/// The environment of a track.
#[async_trait]
pub trait Environment: Send + Sync {
    /// The name that a track's definition chooses it by.
    fn name(&self) -> &str;

    /// The tools that agents act through; each leads to [`crate::tools::contract::Request::Act`].
    fn tools(&self) -> Vec<Arc<dyn Tool>>;

    /// What confines a session, in sentences for the person who approves it.
    fn confinement(&self) -> String;

    /// Opens a session over a run's workspace.
    ///
    /// # Errors
    /// Where the machine, not the agent, keeps it from being opened.
    async fn open(&self, workspace: &Path) -> Result<Box<dyn EnvironmentSession>, EngineError>;
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
}
