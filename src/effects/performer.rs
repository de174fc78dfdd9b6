//! Performs what was decided.

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

use crate::domain::waiting::Waiting;
use crate::engine::dispatch::{Perform, Step};
use crate::engine::error::EngineError;
use crate::engine::session::Session;
use crate::model::name::HUMAN;
use crate::run::decide::Next;
use crate::run::event::{Event, Resumption};

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
            let prices = prices::in_force(&self.ports);
            let (sampling, approve) = (self.request.sampling, self.request.approve.words());
            let before = session.state.started.as_ref().map(|started| &started.settings);
            let approved_as_before = before.is_none_or(|before| before.approve == approve);
            let resumption = Resumption {
                note,
                sampling: (sampling != session.state.sampling).then_some(sampling),
                prices: (prices != *session.state.prices).then_some(prices),
                approve: (!approved_as_before).then_some(approve),
                by_hand: is_taken_over(self, session),
            };
            session.record(Event::Resumed(resumption))?;
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
            Next::Conclude => {
                self.close_session(session).await?;
                conclude::conclude(self, session).map(|()| Step::Done)
            }
            Next::Done => Ok(Step::Done),
        }
    }

    fn waited(&self) -> Waiting {
        self.ports.waits.take()
    }

    async fn leave(&mut self, session: &mut Session) -> Result<(), EngineError> {
        self.close_session(session).await
    }
}

/// Whether a person takes the place of the run's model in this process.
fn is_taken_over(effects: &Effects, session: &Session) -> bool {
    let started = session.state.started.as_ref();
    let was_human = started.is_some_and(|started| started.settings.model == HUMAN);
    effects.request.is_by_hand() && !was_human && !session.state.by_hand
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
        let approve = effects.request.approve.words();
        if started.settings.approve != approve {
            note.push_str(&format!(
                "; {approve} approves from here on, and before {}",
                started.settings.approve
            ));
        }
        if is_taken_over(effects, session) {
            note.push_str(&format!(
                "; a person takes the place of {} from here on",
                started.settings.model
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
