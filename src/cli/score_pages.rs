//! The page of a run's scores.

use super::exit::Failure;
use crate::engine::atomic_file;
use crate::engine::error::EngineError;
use crate::engine::folder::RunFolder;
use crate::grading::scorecard::card::Scorecard;
use crate::report::scorecard::page;

/// The page of some runs' scores.
///
/// # Errors
/// Scores that no page can hold.
pub fn rendered(cards: &[Scorecard]) -> Result<String, Failure> {
    page::render(cards).map_err(|error| {
        Failure::from(EngineError::Unusable(format!(
            "the page cannot be written: {error}"
        )))
    })
}

/// Writes the page of one run's scores into its folder.
///
/// # Errors
/// A folder that cannot be written.
pub fn write_own(card: &Scorecard, folder: &RunFolder) -> Result<(), Failure> {
    let page = rendered(std::slice::from_ref(card))?;
    Ok(atomic_file::replace(
        &folder.path().join("scores.html"),
        page.as_bytes(),
        folder.path(),
    )?)
}
