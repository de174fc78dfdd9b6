//! The parts of [limits] that `reprise bench plan` hands out to cells, for `reprise bench work`.

use std::collections::BTreeSet;

use super::allotment::AllottedCell;
use super::bench_limits::{BenchLimits, CellOfAgent};
use super::opened::OpenedBench;
use super::standing::{BenchSight, Standing, StandingCell};
use crate::analysis::bench::cell::CellResult;
use crate::cli::bench_plan::{BenchPlan, CellPlan};
use crate::cli::exit::Failure;
use crate::domain::digest::Digest;

/// Divides what is left of the caps on all cells among those that were chosen and can go on, and notes each part in the
/// plan. Cells at work, and those that were `claimed` before what they spent was counted, keep theirs. Without caps there is nothing to note.
///
/// # Errors
/// Cells that cannot be looked at, or that are at work without a part.
pub async fn hand_out(
    bench: &OpenedBench,
    limits: &BenchLimits,
    plan: &mut BenchPlan,
    mut counted: Vec<AllottedCell>,
    chosen: &BTreeSet<&str>,
    claimed: &BTreeSet<String>,
) -> Result<(), Failure> {
    if !bench.file.has_limits() {
        return Ok(());
    }
    let sight = BenchSight::of(&bench.out).await?;
    let standings = sight.look_at_all(&plan.cells)?;
    let standings: Vec<StandingCell> = (standings.into_iter())
        .map(|cell| cell.or_claimed(claimed))
        .collect();
    for (cell, standing) in counted.iter_mut().zip(&standings) {
        cell.at_work = standing.part_at_work();
        cell.wants = chosen.contains(standing.plan.cell.as_str()) && needs_part(standing);
    }
    let of_agents = plan.cells.iter().zip(&counted).map(|(plan, cell)| CellOfAgent {
        agent: &plan.agent,
        cell: *cell,
    });
    let parts = limits.divide(&of_agents.collect::<Vec<_>>())?;
    for (((cell, part), counted), standing) in plan.cells.iter_mut().zip(parts).zip(counted).zip(standings) {
        cell.allotted = match standing.standing {
            Standing::Running => standing.allotted,
            Standing::Finished => Some(limits.nothing_more(&cell.agent, counted.spent)),
            _ => part,
        };
    }
    plan.divided = Some(Digest::compute_json(limits));
    Ok(())
}

/// Whether a cell does something with a part: nobody has it, it is not over, and no cap of its own ended it.
fn needs_part(cell: &StandingCell) -> bool {
    let is_at_own_limit = cell.standing == Standing::Limit
        && cell
            .row
            .as_ref()
            .is_some_and(|row| CellPlan::result(row) == CellResult::Failed);
    !cell.is_at_work() && !is_at_own_limit && cell.standing != Standing::Finished
}
