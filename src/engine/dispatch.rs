//! The loop: decide, perform, append, fold.

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

use crate::domain::waiting::Waiting;
use crate::run::decide::{self, Next};

use super::error::EngineError;
use super::session::Session;

/// The outcome of one step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Decide again.
    Done,
    /// A person has to answer first.
    Parked,
    /// The run was asked to stop.
    Interrupted,
}

/// The reason for which the loop ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EngineStop {
    Finished,
    AwaitingApproval,
    /// A spent budget or a provider stopped it before its end.
    Halted,
    Interrupted,
}

/// Performs what was decided, and writes what came of it to the journal.
#[async_trait]
pub trait Perform: Send {
    async fn perform(
        &mut self,
        next: Next,
        session: &mut Session,
        cancel: &CancellationToken,
    ) -> Result<Step, EngineError>;

    /// What a call that was cut short had waited for, since that was last asked.
    fn waited(&self) -> Waiting {
        Waiting::default()
    }

    /// Lets go of what it holds open, before the loop ends.
    ///
    /// # Errors
    /// A journal that cannot be written.
    async fn leave(&mut self, _: &mut Session) -> Result<(), EngineError> {
        Ok(())
    }
}

/// Drives a run until it is finished, parked or interrupted.
///
/// # Errors
/// What performing an effect fails with; the run is then where its journal says.
pub async fn drive(
    session: &mut Session,
    performer: &mut dyn Perform,
    cancel: &CancellationToken,
) -> Result<EngineStop, EngineError> {
    let stop = go_on(session, performer, cancel).await;
    let left = performer.leave(session).await;
    let stop = stop?;
    left.map(|()| stop)
}

async fn go_on(
    session: &mut Session,
    performer: &mut dyn Perform,
    cancel: &CancellationToken,
) -> Result<EngineStop, EngineError> {
    loop {
        if cancel.is_cancelled() {
            return Ok(EngineStop::Interrupted);
        }
        let next = decide::next(&session.state, session.is_fresh());
        if next == Next::Done {
            return Ok(match session.state.halted {
                Some(_) => EngineStop::Halted,
                None => EngineStop::Finished,
            });
        }
        match performer.perform(next, session, cancel).await? {
            Step::Done => {}
            Step::Parked if cancel.is_cancelled() => return Ok(EngineStop::Interrupted),
            Step::Parked => return Ok(EngineStop::AwaitingApproval),
            Step::Interrupted => {
                performer.leave(session).await?;
                session.interrupted(performer.waited())?;
                return Ok(EngineStop::Interrupted);
            }
        }
    }
}
