//! The allotment of a part of the caps on all cells to one cell, by the process that is to work on it.
//!
//! It is made in the place of the coordinator, so that one is made at a time: what all cells have spent and
//! what those at work may still come to is counted, and what is left is divided by the cells that could go on.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use jiff::Timestamp;

use super::allotment::{AllottedCell, allot_within, is_unlimited, nothing_more};
use super::allotment_file::{AllotmentFile, MeasuredCell};
use super::bench_limits::BenchLimits;
use super::cluster_queue::queue_of;
use super::folded_runs::FoldedRuns;
use super::opened::OpenedBench;
use super::options::parse;
use super::standing::{BenchSight, Standing, StandingCell, claims_of};
use super::submission::Submissions;
use crate::analysis::bench::cell::CellResult;
use crate::app::program::Program;
use crate::cli::bench_plan::{BenchPlan, CellPlan};
use crate::cli::budget::BudgetArgs;
use crate::cli::exit::{Failure, Status};
use crate::cli::judged_run::JudgedRun;
use crate::cli::runs_at_once::planned_run::folder_before;
use crate::cli::runs_at_once::run_row::RunRow;
use crate::effects::spent;
use crate::engine::error::EngineError;
use crate::engine::run_reader::RunReader;
use crate::journal::claim::{Claim, ClaimStanding};
use crate::journal::holder::Holder;
use crate::model::access::Access;
use crate::model::layers::spend_account::plus;
use crate::policy::limits::Caps;
use crate::policy::scope::Scope;

/// A claim of a cell with what it was allotted for it.
pub struct AllottedClaim {
    pub claim: Claim,
    pub part: AllotmentFile,
}

/// The allotment to one cell of a bench.
pub struct CellAllotment<'a> {
    pub program: &'a Program,
    pub bench: &'a OpenedBench,
    pub plan: &'a BenchPlan,
    pub cell: &'a CellPlan,
    /// The attempt that is made at the least, counted from 1.
    pub attempt: u32,
}

impl CellAllotment<'_> {
    /// Claims the cell and notes its part. Called by whoever has the coordinator's place.
    ///
    /// # Errors
    /// A cell that a submission or another process has, or for which nothing is left.
    pub async fn claim(&self, holder: Holder) -> Result<AllottedClaim, Failure> {
        let out = &self.bench.out;
        let limits = BenchLimits::read(&self.bench.file, self.bench.root())?;
        let submissions = Submissions::read(out)?;
        let now = Timestamp::now();
        let queue = queue_of(out, &submissions, now).await;
        let sight = BenchSight {
            out,
            submissions: &submissions,
            queue: queue.as_ref(),
            now,
        };
        let own = sight.look_at(self.cell)?;
        if own.standing == Standing::Queued {
            return Err(Failure::usage(format!(
                "cell {} is submitted ({}): it is left to its job, which `reprise bench stop` cancels",
                self.cell.cell,
                own.detail.as_deref().unwrap_or("queued")
            )));
        }
        let allotted = self.part(&limits, &sight, &own)?;
        let claims = claims_of(out, &self.cell.cell);
        let claim = claims.take(holder, now, None).map_err(EngineError::from)?;
        let part = AllotmentFile::new(&self.cell.cell, claim.number(), now, allotted);
        part.write(out)?;
        Ok(AllottedClaim { claim, part })
    }

    /// The caps on all that the cell may come to.
    fn part(
        &self,
        limits: &BenchLimits,
        sight: &BenchSight<'_>,
        own: &StandingCell,
    ) -> Result<Caps, Failure> {
        let access = Access::open(&self.program.settings).map_err(EngineError::from)?;
        if self.has_nothing_to_do(own) {
            return Ok(nothing_more(
                &limits.of_agent(&self.cell.agent),
                measured(sight.out, self.cell, &access)?.spent,
            ));
        }
        let known = FoldedRuns::load(sight.out);
        let mut cells = Vec::new();
        let mut place = None;
        for cell in &self.plan.cells {
            let mut counted = counted(sight, cell, &known, &access)?;
            if cell.cell == self.cell.cell {
                place = Some(cells.len());
                counted.wants = true;
            }
            cells.push(counted);
        }
        let groups = limits.groups(self.plan.cells.iter().map(|cell| cell.agent.as_str()));
        if is_unlimited(&limits.all, &groups, &cells) {
            return Err(Failure::usage(
                "[limits] came into the file after cells began without them: once these have ended, the same command goes \
                 on",
            ));
        }
        let parts = allot_within(&limits.all, &groups, &cells);
        let part = place.and_then(|place| parts.get(place).copied().flatten());
        part.ok_or_else(|| {
            Failure::new(
                Status::Limit,
                format!(
                    "nothing is left of [limits] for cell {}: give larger ones, or call the same command again once cells \
                     at work have given back what they do not spend",
                    self.cell.cell
                ),
            )
        })
    }

    /// Whether the cell is over and nothing of it is tried again.
    fn has_nothing_to_do(&self, own: &StandingCell) -> bool {
        let is_of_machine = |row: &RunRow| row.exit_code == Status::Infrastructure.code();
        own.standing == Standing::Finished
            && self.attempt <= own.plan.attempt
            && !own.row.as_ref().is_some_and(is_of_machine)
    }
}

/// A cell as it counts: what is over and was given back is not read again.
fn counted(
    sight: &BenchSight<'_>,
    cell: &CellPlan,
    folded: &FoldedRuns,
    access: &Access<'_>,
) -> Result<AllottedCell, Failure> {
    let given_back = AllotmentFile::read(sight.out, &cell.cell)?.and_then(|part| part.given_back);
    let known = given_back
        .map(|back| back.found)
        .filter(|found| found.journals == journals(sight.out, cell));
    if let Some(known) = &known
        && known.is_over
        && sight.submissions.last_of(&cell.cell).is_none()
        && !is_held(sight.out, cell)?
    {
        return Ok(AllottedCell {
            spent: known.spent,
            ..AllottedCell::default()
        });
    }
    let standing = sight.look_beside(cell, folded)?;
    let found = match known {
        Some(known) => known,
        None => measured(sight.out, cell, access)?,
    };
    let is_at_work = standing.is_at_work();
    let is_at_own_limit = standing.standing == Standing::Limit
        && standing
            .row
            .as_ref()
            .is_some_and(|row| CellPlan::result(row) == CellResult::Failed);
    Ok(AllottedCell {
        spent: found.spent,
        at_work: is_at_work.then(|| standing.allotted.unwrap_or_default()),
        wants: !is_at_work && !is_at_own_limit && standing.standing != Standing::Finished,
        of_run: of_run(cell),
    })
}

fn is_held(out: &Path, cell: &CellPlan) -> Result<bool, Failure> {
    let last = claims_of(out, &cell.cell)
        .last(SystemTime::now())
        .map_err(EngineError::from)?;
    Ok(last.is_some_and(|last| last.standing == ClaimStanding::Held))
}

/// The caps on a run alone, as its options have them.
fn of_run(cell: &CellPlan) -> Caps {
    let options = cell.options.iter().filter(|option| option.starts_with("--max-"));
    let typed: Vec<String> = options.cloned().collect();
    let budget = parse::<BudgetArgs>(&typed);
    // What cannot be read is refused where the run is planned.
    budget.map_or_else(|_| Caps::default(), |budget| budget.caps().caps(Scope::Run))
}

/// What all attempts at a cell have come to, by their journals.
///
/// # Errors
/// A journal that cannot be read.
pub fn measured(out: &Path, cell: &CellPlan, access: &Access<'_>) -> Result<MeasuredCell, Failure> {
    // Before they are read: what is added meanwhile has them read again.
    let mut found = MeasuredCell {
        journals: journals(out, cell),
        ..MeasuredCell::default()
    };
    for place in cell.attempts(out) {
        let folder = folder_before(&place)?;
        found.is_over = false;
        if !folder.journal().exists() {
            continue;
        }
        let run = RunReader::open(folder)?;
        found.is_over = run.state.is_finished();
        let price = |model: &str| access.capabilities(model).price;
        found.spent = plus(found.spent, spent::of_journal(&run.state, price));
        if let Some(judge) = &cell.judge {
            let judged = JudgedRun::read(&run, judge)?;
            found.spent = plus(found.spent, judged.spent);
            found.is_over &= judged.is_whole;
        }
    }
    Ok(found)
}

/// The sizes of the journals of all attempts, in bytes, and behind each those of its judge's answers and scores.
fn journals(out: &Path, cell: &CellPlan) -> Vec<u64> {
    let size = |path: PathBuf| fs::metadata(path).map_or(0, |file| file.len());
    let sizes = cell.attempts(out).into_iter().flat_map(|place| {
        let Ok(folder) = folder_before(&place) else {
            return vec![0];
        };
        let judge = cell.judge.iter();
        let judge = judge.flat_map(|judge| [folder.path().join(judge.calls()), folder.scores()]);
        std::iter::once(folder.journal()).chain(judge).map(size).collect()
    });
    sizes.collect()
}
