//! A call of `run_analysis` that whoever asked does not wait for any longer.

use tokio_util::sync::CancellationToken;

use crate::engine::error::EngineError;
use crate::engine::session::Session;
use crate::run::event::CallRef;
use crate::tools::contract::Observation;

use super::analysed::Analysed;
use super::observe;
use super::rules::Declared;

/// The words of a call that was left; the same whatever was under way, so that a replay tells them too.
const LEFT: &str = "The call was left before its plan had been carried out: the command that ran was ended, and \
    `work/` is as it was before that command. Nothing of the call counts as a result. The approval stands; call \
    `run_analysis` again to have the plan carried out.";

/// Carries `work` to its end. Where its hurry comes first, `cut` tells it to stop; true, with what it then
/// came to.
pub async fn unless_hurried<W: Future>(
    hurry: Option<CancellationToken>,
    cut: &CancellationToken,
    work: W,
) -> (W::Output, bool) {
    let Some(hurry) = hurry else {
        return (work.await, false);
    };
    tokio::pin!(work);
    tokio::select! {
        // What has ended in time has ended.
        biased;
        done = &mut work => return (done, false),
        () = hurry.cancelled() => {}
    }
    cut.cancel();
    (work.await, true)
}

/// A call that was left while nothing of it had run.
pub fn before_anything() -> Analysed {
    Analysed::Left(Observation::bad(LEFT))
}

/// Tells a call that was left, with what had run by then.
///
/// # Errors
/// Output that the store lacks or holds damaged, or a log that cannot be written into the workspace.
pub fn told(session: &Session, at: CallRef, declared: &Declared) -> Result<Analysed, EngineError> {
    if session.state.executions.finished_in(at) == 0 {
        return Ok(before_anything());
    }
    let mut observation = observe::executions(session, at, declared)?;
    for text in std::iter::once(&mut observation.text).chain(&mut observation.stable) {
        text.push_str(LEFT);
    }
    observation.ok = false;
    Ok(Analysed::Left(observation))
}
