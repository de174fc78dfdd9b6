//! The one process that hands out the cells and the money of a bench.

use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use jiff::Timestamp;

use super::opened::OpenedBench;
use super::standing::claims_of;
use crate::cli::exit::{Failure, Status};
use crate::engine::error::EngineError;
use crate::journal::claim::{Claim, ClaimEnd, ClaimFolder, ClaimStanding};
use crate::journal::holder::Holder;
use crate::journal::log::JournalError;

/// The claim of whoever hands out cells and money.
const COORDINATOR: &str = "coordinator";
/// Claims of it that are kept, so that those who wait for it do not take a forgotten number.
const KEPT: u32 = 32;
/// The longest wait for those who have it for a moment each.
const PATIENCE: Duration = Duration::from_secs(600);
/// The time between two looks at whether it is free.
const LOOK: Duration = Duration::from_millis(50);

/// Works on a bench as the one who hands out its cells, and gives that place back. A folder that is no
/// bench's yet has nobody who does: the work takes the place once it has made it one, and where it only
/// looks never.
///
/// # Errors
/// Where another process has the place, or what the work fails with.
pub async fn coordinated(
    bench: &OpenedBench,
    only_looks: bool,
    work: impl AsyncFnOnce(&mut Option<Claim>) -> Result<Status, Failure>,
) -> Result<Status, Failure> {
    let mut coordinator = match bench.folder().plan()? {
        Some(_) if !only_looks => Some(coordinate(&bench.out).await?),
        _ => None,
    };
    let status = work(&mut coordinator).await;
    if let Some(coordinator) = coordinator {
        let ended = status
            .as_ref()
            .map_or_else(|failure| failure.status, |status| *status);
        let_go(coordinator, ended)?;
    }
    status
}

/// Takes the place of the one who hands out the cells and the money of a bench, after those who have it for a moment.
///
/// # Errors
/// Where another process has it for longer, here or on another machine.
pub async fn coordinate(out: &Path) -> Result<Claim, Failure> {
    let claims = claims_of(out, COORDINATOR);
    let take = || claims.take(Holder::here(None), Timestamp::now(), None);
    Ok(taken(&claims, take).await.map_err(EngineError::from)?)
}

/// Does something in that place for a moment, such as the handing out of one cell.
///
/// # Errors
/// Where another process hands out all cells, or what the work fails with.
pub async fn coordinated_briefly<T>(
    out: &Path,
    work: impl AsyncFnOnce() -> Result<T, Failure>,
) -> Result<T, Failure> {
    let claims = claims_of(out, COORDINATOR);
    let take = || claims.take_briefly(Holder::here(None), Timestamp::now());
    let coordinator = match taken(&claims, take).await {
        Err(JournalError::InUse { holder, .. }) => {
            return Err(Failure::new(
                Status::Infrastructure,
                format!(
                    "another process{holder} hands out the cells of this bench and what [limits] allow them, as `reprise \
                     bench FILE` and `submit` do: the same command goes on once that is over"
                ),
            ));
        }
        taken => taken.map_err(EngineError::from)?,
    };
    let done = work().await;
    let status = done
        .as_ref()
        .map_or_else(|failure| failure.status, |_| Status::Done);
    let_go(coordinator, status)?;
    done
}

/// The place, once nobody has it for a moment.
async fn taken(
    claims: &ClaimFolder,
    take: impl Fn() -> Result<Claim, JournalError>,
) -> Result<Claim, JournalError> {
    let began = Instant::now();
    loop {
        match take() {
            Err(JournalError::InUse { path, holder }) => loop {
                let last = claims.last(SystemTime::now())?;
                let held = last.filter(|last| last.standing == ClaimStanding::Held);
                match held {
                    None => break,
                    Some(held) if held.is_brief() && began.elapsed() < PATIENCE => {
                        tokio::time::sleep(LOOK).await;
                    }
                    Some(_) => return Err(JournalError::InUse { path, holder }),
                }
            },
            Err(error) => return Err(error),
            Ok(claim) => {
                claim.forget_earlier(KEPT);
                return Ok(claim);
            }
        }
    }
}

/// Gives that place back.
///
/// # Errors
/// A folder that cannot be written.
fn let_go(coordinator: Claim, status: Status) -> Result<(), Failure> {
    let end = ClaimEnd {
        at: Timestamp::now(),
        exit_code: status.code(),
        detail: None,
        steps: 0,
    };
    Ok(coordinator.end(end).map_err(EngineError::from)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn who_has_it_for_a_moment_is_waited_for_and_another_one_is_not() {
        let place = tempfile::tempdir().unwrap();
        let claims = claims_of(place.path(), COORDINATOR);
        let held = claims.take(Holder::here(None), Timestamp::now(), None).unwrap();
        let refused = coordinated_briefly(place.path(), async || Ok(()))
            .await
            .unwrap_err();
        assert_eq!(refused.status, Status::Infrastructure);
        let pid = format!("(pid {}) hands out the cells", std::process::id());
        assert!(refused.message.contains(&pid), "{}", refused.message);
        let_go(held, Status::Done).unwrap();

        let brief = claims.take_briefly(Holder::here(None), Timestamp::now()).unwrap();
        let mut waiting = Box::pin(coordinate(place.path()));
        // It is looked at, and has nothing yet.
        assert!(futures::poll!(waiting.as_mut()).is_pending());
        let_go(brief, Status::Done).unwrap();
        let claim = waiting.await.unwrap();
        assert_eq!(claim.number(), 3);
    }
}
