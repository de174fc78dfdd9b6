//! The context that the effects of a run work with.

use std::sync::Arc;

use crate::agent::dialogue::Dialogue;
use crate::domain::ids::RunId;
use crate::domain::stage::Stage;
use crate::engine::error::EngineError;
use crate::engine::request::RunRequest;
use crate::engine::session::Session;
use crate::run::event::Event;
use crate::tools::workspace::Workspace;

use super::environment::EnvironmentSession;
use super::hurry::Hurry;
use super::ports::Ports;
use super::session_lock::SessionLock;

/// The effects of one run.
pub struct Effects {
    pub ports: Ports,
    pub request: RunRequest,
    /// The conversation of the stage under way, folded as far as the journal.
    pub(super) conversation: Option<(Stage, Dialogue)>,
    workspace: Option<Workspace>,
    /// The session of the task's environment.
    pub(super) environment: Option<Box<dyn EnvironmentSession>>,
    /// The lock of the run's day that its sessions are held to, once it is made.
    pub(super) session_lock: Option<SessionLock>,
    /// Whether the session is opened before the model is asked for the first time.
    pub opens_early: bool,
    /// By which calls under way are left.
    pub hurry: Arc<Hurry>,
}

impl Effects {
    pub fn new(request: RunRequest, ports: Ports) -> Self {
        Self {
            ports,
            request,
            conversation: None,
            workspace: None,
            environment: None,
            session_lock: None,
            opens_early: false,
            hurry: Arc::default(),
        }
    }

    /// The run's workspace, opened once.
    pub(super) fn workspace(&mut self, session: &Session) -> Result<&Workspace, EngineError> {
        let workspace = match self.workspace.take() {
            Some(workspace) => workspace,
            None => {
                let root = session.folder.workspace();
                Workspace::open(&root).map_err(|error| EngineError::io(&root, error))?
            }
        };
        Ok(self.workspace.insert(workspace))
    }

    /// Ends the session of the task's environment, where one is open, and journals what is
    /// to be known of it.
    ///
    /// # Errors
    /// A journal that cannot be written.
    pub async fn close_session(&mut self, session: &mut Session) -> Result<(), EngineError> {
        let Some(open) = self.environment.take() else {
            let owner = session.folder.owner(&self.request.run);
            return match session.state.resumed > 0 {
                true => self.sweep_sessions(&owner).await,
                false => Ok(()),
            };
        };
        let notes = open.close().await;
        if notes.is_empty() {
            return Ok(());
        }
        session.record(Event::SessionEnded { notes })
    }

    /// Ends the session of a process that is gone, which nobody has taken up.
    async fn sweep_sessions(&self, owner: &RunId) -> Result<(), EngineError> {
        let acts = self.ports.track.environment.as_ref();
        let needs_sandbox = acts.is_some_and(|environment| environment.needs_sandbox());
        match &self.ports.sandbox {
            Some(sandbox) if needs_sandbox => Ok(sandbox.sweep(owner).await?),
            _ => Ok(()),
        }
    }
}
