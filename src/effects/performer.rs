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
use crate::run::event::Event;
use crate::tools::workspace::Workspace;

use super::ports::Ports;
use super::{begin, conclude, converse, end_stage, interrupted, probe, spent, start_stage};

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
        if session.is_fresh() && session.state.started.is_some() {
            for (stage, state) in &session.state.stages {
                spent::reopen(&self.ports.purse, &self.ports.purses, *stage, state);
                converse::recount(self, session, *stage)?;
            }
            end_stage::materialise(session)?;
            interrupted::close(self, session).await?;
            let note = resumed_note(self, session);
            let sampling = self.request.sampling;
            let changed = sampling != session.state.sampling;
            session.record(Event::Resumed {
                note,
                sampling: changed.then_some(sampling),
            })?;
            return Ok(Step::Done);
        }
        match next {
            Next::Begin => begin::begin(self, session).map(|()| Step::Done),
            Next::CloseInterrupted => interrupted::close(self, session).await.map(|()| Step::Done),
            Next::StartStage(stage) => start_stage::start(self, session, stage).map(|()| Step::Done),
            Next::Advance(stage) => converse::advance(self, session, stage, cancel).await,
            Next::Probe => probe::perform::probe(self, session, cancel).await,
            Next::Conclude => conclude::conclude(session).map(|()| Step::Done),
            Next::Done => Ok(Step::Done),
        }
    }
}

/// What is different from when the run began.
fn resumed_note(effects: &Effects, session: &Session) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let mut note = format!("by reprise {version}");
    if let Some(started) = &session.state.started {
        if started.engine != version {
            note.push_str(&format!("; the run was begun by {}", started.engine));
        }
        if started.settings.catalog != begin::catalog_digest(effects) {
            note.push_str("; the stage definitions are not those that the run was begun with");
        }
        if let Some(halted) = &session.state.halted {
            note.push_str(&format!(
                "; it had stopped in {} ({}): {}",
                halted.stage, halted.cause, halted.detail
            ));
        }
        let sampling = effects.request.sampling;
        if session.state.sampling != sampling {
            note.push_str(&format!(
                "; the model draws from here on with {sampling}, and before with {}",
                session.state.sampling
            ));
        }
    }
    note
}
