//! The context that the effects of a run work with.

use crate::agent::conversation::Conversation;
use crate::domain::stage::Stage;
use crate::engine::error::EngineError;
use crate::engine::request::RunRequest;
use crate::engine::session::Session;
use crate::tools::workspace::Workspace;

use super::environment::EnvironmentSession;
use super::ports::Ports;

/// The effects of one run.
pub struct Effects {
    pub ports: Ports,
    pub request: RunRequest,
    /// The conversation of the stage under way, folded as far as the journal.
    pub(super) conversation: Option<(Stage, Conversation)>,
    workspace: Option<Workspace>,
    /// The session of the task's environment.
    pub(super) environment: Option<Box<dyn EnvironmentSession>>,
}

impl Effects {
    pub fn new(request: RunRequest, ports: Ports) -> Self {
        Self {
            ports,
            request,
            conversation: None,
            workspace: None,
            environment: None,
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
}
