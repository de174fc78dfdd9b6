//! The one process that hands out the cells and the money of a bench.

use std::path::Path;

use jiff::Timestamp;

use super::opened::OpenedBench;
use super::standing::claims_of;
use crate::cli::exit::{Failure, Status};
use crate::engine::error::EngineError;
use crate::journal::claim::{Claim, ClaimEnd};
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
    let claims = claims_of(out, COORDINATOR);
    let claim = claims.take(Holder::here(None), Timestamp::now(), None);
    let claim = claim.map_err(EngineError::from)?;
    claim.forget_earlier();
    Ok(claim)
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
