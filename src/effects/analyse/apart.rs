//! Work on files that may take long, on a thread of its own.

use tokio_util::sync::CancellationToken;

use crate::domain::stage::Stage;
use crate::engine::error::EngineError;
use crate::engine::session::Session;

use crate::effects::context::Effects;
use crate::effects::time_left;

/// Carries out `work`, which stops when its token says so: with the run's, or when the run's
/// time is up.
///
/// # Errors
/// What the work fails with; [`EngineError::Stopped`] where it was to stop.
pub async fn within_time<T, W>(
    effects: &Effects,
    session: &mut Session,
    stage: Stage,
    cancel: &CancellationToken,
    work: W,
) -> Result<T, EngineError>
where
    T: Send + 'static,
    W: FnOnce(&CancellationToken) -> Result<T, EngineError> + Send + 'static,
{
    let time = time_left::compute(effects.ports.account.budget(), session, stage)
        .map_err(|spent| EngineError::Stopped(Some(spent)))?;
    let cut = cancel.child_token();
    let token = cut.clone();
    let working = tokio::task::spawn_blocking(move || work(&token));
    let (done, spent) = time_left::within(time, &cut, working).await;
    let done = done.map_err(|error| EngineError::Unusable(format!("a look at files broke: {error}")))?;
    match done {
        Err(EngineError::Stopped(_)) => Err(EngineError::Stopped(spent)),
        done => done,
    }
}
