//! The one process that hands out the cells and the money of a bench.

use std::path::Path;
use std::time::SystemTime;

use jiff::Timestamp;

use super::opened::OpenedBench;
use super::standing::claims_of;
use crate::cli::exit::{Failure, Status};
use crate::engine::error::EngineError;
use crate::journal::claim::{Claim, ClaimEnd, ClaimStanding};
use crate::journal::holder::Holder;

/// The claim of whoever hands out cells and money.
const COORDINATOR: &str = "coordinator";

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
        Some(_) if !only_looks => Some(coordinate(&bench.out)?),
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

/// Takes the place of the one who hands out the cells and the money of a bench.
///
/// # Errors
/// Where another process has it, here or on another machine.
pub fn coordinate(out: &Path) -> Result<Claim, Failure> {
    let claim = claims_of(out, COORDINATOR).take(Holder::here(None), Timestamp::now(), None);
    Ok(claim.map_err(EngineError::from)?)
}

/// Refuses to work on a cell beside a process that hands all of them out.
///
/// # Errors
/// Such a process, or claims that cannot be read.
pub fn ensure_nobody_hands_out(out: &Path) -> Result<(), Failure> {
    let last = claims_of(out, COORDINATOR).last(SystemTime::now());
    let last = last.map_err(EngineError::from)?;
    match last.filter(|last| last.standing == ClaimStanding::Held) {
        None => Ok(()),
        Some(held) => Err(Failure::new(
            Status::Infrastructure,
            format!(
                "another process{} hands out the cells of this bench and what [limits] allow them, as `reprise bench FILE`, \
                 `plan` and `submit` do: the same command goes on once that is over",
                held.words()
            ),
        )),
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
