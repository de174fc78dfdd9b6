//! The lock of what a plan declares, made by the run itself and kept in its journal.

use tokio_util::sync::CancellationToken;

use crate::artifacts::content;
use crate::artifacts::store::Store;
use crate::domain::execution::EnvironmentSpec;
use crate::domain::failure::FailureCause;
use crate::engine::error::EngineError;
use crate::engine::session::Session;
use crate::environment::dated::DatedNeeds;
use crate::environment::lock::EnvironmentLock;
use crate::run::event::{CallRef, Event, LockMade, Work};
use crate::run::state::State;

use super::context::Effects;

/// The lock of a declared environment.
pub enum SettledLock {
    /// The run makes none.
    None,
    Made(Box<EnvironmentLock>),
    Interrupted,
}

/// The lock of the run's day for what is declared: out of the journal, else the indexes are asked. The same wish
/// is asked for once in a run.
///
/// # Errors
/// An index that does not answer, of which nothing is kept, a sandbox that fails, or a journal that cannot be
/// written.
pub async fn settle(
    effects: &Effects,
    session: &mut Session,
    at: CallRef,
    declared: &EnvironmentSpec,
    cancel: &CancellationToken,
) -> Result<SettledLock, EngineError> {
    let Some(dated) = &effects.request.dated else {
        return Ok(SettledLock::None);
    };
    session.begin(Work::Build);
    let python = tokio::select! {
        () = cancel.cancelled() => return Ok(SettledLock::Interrupted),
        python = python_here(effects, dated, declared) => python?,
    };
    let draft = dated.draft(declared, python.as_deref());
    let wish = draft.digest();
    if let Some(known) = session.state.locks.iter().find(|made| made.wish == wish) {
        let lock = parse(session.text(&known.lock)?.as_bytes())?;
        return Ok(SettledLock::Made(Box::new(lock)));
    }
    session.watch().under_way(&format!(
        "{}: asking the indexes for the packages of {}",
        at.stage, dated.as_of.day
    ));
    let started = session.now();
    let lock = tokio::select! {
        () = cancel.cancelled() => return Ok(SettledLock::Interrupted),
        lock = effects.ports.indexes.settle(at, draft) => lock?,
    };
    let text = lock.text();
    let text = text.map_err(|error| EngineError::Unusable(format!("the lock cannot be kept: {error}")))?;
    let made = LockMade {
        at,
        wish,
        lock: session.keep(text.as_bytes())?,
        wall_ms: session.since(started),
    };
    session.record(Event::LockMade(Box::new(made)))?;
    Ok(SettledLock::Made(Box::new(lock)))
}

/// The Python that the sandbox has for the day; `None` where none is needed, or where it is the plan that is wrong.
async fn python_here(
    effects: &Effects,
    dated: &DatedNeeds,
    declared: &EnvironmentSpec,
) -> Result<Option<String>, EngineError> {
    let Some(sandbox) = effects
        .ports
        .sandbox
        .as_ref()
        .filter(|_| declared.python.is_some())
    else {
        return Ok(None);
    };
    match sandbox.python_of(&dated.of_the_day(declared)).await {
        Ok(python) => Ok(python),
        Err(failure) if failure.cause == FailureCause::Infrastructure => {
            Err(EngineError::Environment(failure))
        }
        Err(_) => Ok(None),
    }
}

/// The last lock that a run made.
///
/// # Errors
/// A lock that the store lacks, or that is none.
pub fn last(state: &State, store: &dyn Store) -> Result<Option<EnvironmentLock>, EngineError> {
    let Some(made) = state.locks.last() else {
        return Ok(None);
    };
    parse(&content::load(&made.lock, store)?).map(Some)
}

/// A lock of a journal.
///
/// # Errors
/// A text that is no lock.
pub fn parse(text: &[u8]) -> Result<EnvironmentLock, EngineError> {
    let lock = EnvironmentLock::parse(text);
    lock.map_err(|fault| {
        EngineError::Unusable(format!("a lock of the run's journal cannot be read: {fault}"))
    })
}
