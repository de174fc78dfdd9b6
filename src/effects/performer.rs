//! Performs what was decided.

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

use crate::agent::conversation::Conversation;
use crate::domain::stage::Stage;
use crate::engine::dispatch::{Perform, Step};
use crate::engine::error::EngineError;
use crate::engine::request::RunRequest;
use crate::engine::session::Session;
use crate::run::decide::Next;
use crate::tools::workspace::Workspace;

use super::ports::Ports;
use super::{begin, conclude, converse, interrupted, start_stage};

/// The effects of one run.
pub struct Effects {
    pub ports: Ports,
    pub request: RunRequest,
    /// The conversation of the stage under way, folded as far as the journal.
    pub(super) conversation: Option<(Stage, Conversation)>,
    workspace: Option<Workspace>,
}

impl Effects {
    pub fn new(request: RunRequest, ports: Ports) -> Self {
        Self {
            ports,
            request,
            conversation: None,
            workspace: None,
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

#[async_trait]
impl Perform for Effects {
    async fn perform(
        &mut self,
        next: Next,
        session: &mut Session,
        cancel: &CancellationToken,
    ) -> Result<Step, EngineError> {
        match next {
            Next::Begin => begin::begin(self, session).map(|()| Step::Done),
            Next::CloseInterrupted => interrupted::close(self, session).await.map(|()| Step::Done),
            Next::StartStage(stage) => start_stage::start(self, session, stage).map(|()| Step::Done),
            Next::Advance(stage) => converse::advance(self, session, stage, cancel).await,
            Next::Conclude => conclude::conclude(session).map(|()| Step::Done),
            Next::Done => Ok(Step::Done),
        }
    }
}
