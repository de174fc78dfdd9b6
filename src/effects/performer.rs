//! Performs what was decided.

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

use crate::domain::waiting::Waiting;
use crate::engine::dispatch::{Perform, Step};
use crate::engine::error::EngineError;
use crate::engine::session::Session;
use crate::run::decide::Next;
use crate::run::event::Event;

use super::context::Effects;
use super::{begin, conclude, converse, end_stage, interrupted, prices, probe, spent, start_stage};

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
                let own = self.ports.model.name();
                spent::reopen(&self.ports.account, &self.ports.accounts, own, *stage, state);
                converse::recount(self, session, *stage)?;
            }
            end_stage::materialise(session)?;
            let note = resumed_note(self, session);
            let sampling = self.request.sampling;
            let prices = prices::in_force(&self.ports);
            let changed = sampling != session.state.sampling;
            session.record(Event::Resumed {
                note,
                sampling: changed.then_some(sampling),
                prices: (prices != *session.state.prices).then_some(prices),
            })?;
            // After the resumption, so that the time that nobody worked is no work.
            interrupted::close(self, session).await?;
            return Ok(Step::Done);
        }
        match next {
            Next::Begin => begin::begin(self, session).map(|()| Step::Done),
            Next::CloseInterrupted => interrupted::close(self, session).await.map(|()| Step::Done),
            Next::StartStage(stage) => start_stage::start(self, session, stage).map(|()| Step::Done),
            Next::Advance(stage) => converse::advance(self, session, stage, cancel).await,
            Next::Probe => probe::perform::probe(self, session, cancel).await,
            Next::Conclude => conclude::conclude(self, session).map(|()| Step::Done),
            Next::Done => Ok(Step::Done),
        }
    }

    fn waited(&self) -> Waiting {
        self.ports.waits.take()
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
        if started.settings.catalog != effects.ports.catalog.digest() {
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
