//! The lock of what a plan declares or a session is to have, made by the run itself and kept in its journal.

use tokio_util::sync::CancellationToken;

use crate::artifacts::content;
use crate::artifacts::store::Store;
use crate::engine::error::EngineError;
use crate::engine::session::Session;
use crate::environment::lock::EnvironmentLock;
use crate::run::event::{CallRef, Event, LockMade, Work};
use crate::run::state::State;

use super::context::Effects;
use super::lock_wish::LockWish;

/// The lock of an environment.
pub enum SettledLock {
    /// The run makes none.
    None,
    Made(Box<EnvironmentLock>),
    Interrupted,
}

/// The lock of the run's day for a wish: out of the journal, else the indexes are asked. The same wish
/// is asked for once in a run.
///
/// # Errors
/// An index that does not answer, of which nothing is kept, a sandbox that fails, or a journal that cannot be
/// written.
pub async fn settle(
    effects: &Effects,
    session: &mut Session,
    at: CallRef,
    wanted: &LockWish,
    cancel: &CancellationToken,
) -> Result<SettledLock, EngineError> {
    let Some(dated) = &effects.request.dated else {
        return Ok(SettledLock::None);
    };
    session.begin(Work::Build);
    let sandbox = effects.ports.sandbox.as_deref();
    let draft = tokio::select! {
        () = cancel.cancelled() => return Ok(SettledLock::Interrupted),
        draft = wanted.draft(dated, sandbox) => draft?,
    };
    let wish = draft.digest();
    if let Some(known) = session.state.locks.iter().find(|made| made.wish == wish) {
        let lock = parse(session.text(&known.lock)?.as_bytes())?;
        return Ok(SettledLock::Made(Box::new(lock)));
    }
    session.watch().under_way(&format!(
        "{}: asking the indexes for the packages of {}",
        at.stage, dated.as_of.day
    ));
    let started = session.steady();
    let watch = session.watch();
    let told = |sentence: &str| watch.line(sentence);
    let asked = async {
        let draft = wanted.with_releases(draft, dated, sandbox).await?;
        effects.ports.indexes.settle(at, draft, &told).await
    };
    let lock = tokio::select! {
        () = cancel.cancelled() => return Ok(SettledLock::Interrupted),
        lock = asked => lock?,
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
    lock.map_err(|fault| EngineError::Unusable(format!("a lock that was kept cannot be read: {fault}")))
}
