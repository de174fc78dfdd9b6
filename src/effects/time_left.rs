//! The time that a run may still take.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::domain::stage::Stage;
use crate::engine::session::Session;
use crate::policy::limits::{Budget, Reached};
use crate::policy::scope::{Quantity, Scope};

/// The cap on time that is reached first, and how far away it is.
#[derive(Debug, Clone, Copy)]
pub struct TimeLeft {
    pub milliseconds: u64,
    reached: Reached,
}

impl TimeLeft {
    /// What is left of it when so much was used.
    pub fn behind(self, used: Duration) -> Self {
        let used = u64::try_from(used.as_millis()).unwrap_or(u64::MAX);
        Self {
            milliseconds: self.milliseconds.saturating_sub(used),
            ..self
        }
    }
}

/// What is left of the caps on time: `None` where there is none, `Err` with one
/// that is used up.
///
/// # Errors
/// The cap that is used up.
pub fn compute(budget: &Budget, session: &Session, stage: Stage) -> Result<Option<TimeLeft>, Reached> {
    let now = session.now();
    let elapsed = &session.state.elapsed;
    let scopes = [
        (
            Scope::Stage(stage),
            budget.for_stage(stage),
            elapsed.stage(stage, now),
        ),
        (Scope::Run, budget.caps(Scope::Run), elapsed.run(now)),
    ];
    let mut first: Option<TimeLeft> = None;
    for (scope, caps, used) in scopes {
        let Some(cap) = caps.seconds else { continue };
        let milliseconds = cap.saturating_mul(1000).saturating_sub(used);
        let reached = Reached {
            scope,
            quantity: Quantity::Seconds,
            used: cap.max(used / 1000),
            next: 0,
            cap,
        };
        if milliseconds == 0 {
            return Err(reached);
        }
        if first.is_none_or(|first| milliseconds < first.milliseconds) {
            first = Some(TimeLeft {
                milliseconds,
                reached,
            });
        }
    }
    Ok(first)
}

/// Carries `work` to its end. When the time is up first, `cut` tells it to stop,
/// and the cap comes with what it then came to.
pub async fn within<W: Future>(
    time: Option<TimeLeft>,
    cut: &CancellationToken,
    work: W,
) -> (W::Output, Option<Reached>) {
    tokio::pin!(work);
    let reached = tokio::select! {
        // What has ended in time has ended.
        biased;
        done = &mut work => return (done, None),
        reached = passes(time) => reached,
    };
    cut.cancel();
    (work.await, Some(reached))
}

/// Returns when the time is up; never where it is not capped.
pub async fn passes(time: Option<TimeLeft>) -> Reached {
    match time {
        Some(time) => {
            tokio::time::sleep(Duration::from_millis(time.milliseconds)).await;
            time.reached
        }
        None => std::future::pending().await,
    }
}
