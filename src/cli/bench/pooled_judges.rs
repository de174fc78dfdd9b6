//! The refusal to lay the marks of two judges together.

use crate::analysis::bench::cell::BenchCell;
use crate::analysis::bench::judged::{CellsJudge, pooled};
use crate::cli::exit::Failure;

/// Refuses cells of several benches that were marked by different judges, where no arm tells these apart.
///
/// # Errors
/// Such cells.
pub fn ensure_one_judge<'a>(cells: impl IntoIterator<Item = &'a BenchCell>) -> Result<(), Failure> {
    match pooled(cells.into_iter().filter_map(CellsJudge::of_cell)) {
        None => Ok(()),
        Some((kind, judges)) => Err(Failure::usage(format!(
            "the marks of two judges are never laid together, and {} of these benches have {}: have both benches judged by \
             one (`judge` of the bench file), or leave one of them out",
            kind.plural(),
            judges.join(" and ")
        ))),
    }
}
