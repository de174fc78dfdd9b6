//! `reprise bench submit`.

use std::collections::{BTreeMap, BTreeSet};

use super::allotment::AllottedCell;
use super::bench_limits::{BenchLimits, CellOfAgent};
use super::cell_order::arrange;
use super::cell_plan::{PlannedCell, Retry};
use super::coordinator::{coordinate, coordinated};
use super::hand_over::{HandOver, HandedCell};
use super::local_run::RetryChoice;
use super::opened::OpenedBench;
use super::planned_cells::{BenchPlaces, chosen, planned, without_quarantined};
use super::slurm::shape::SlurmShape;
use super::standing::{BenchSight, Standing, StandingCell, claimed};
use super::submission::SubmittedCell;
use super::submit_args::SubmitArgs;
use super::submit_told::{LeftCell, SubmitOutcome};
use crate::analysis::bench::cell::CellResult;
use crate::app::process_shared::ProcessShared;
use crate::app::program::Program;
use crate::cli::bench_plan::{BenchPlan, CellPlan};
use crate::cli::exit::{Failure, Status};
use crate::cli::output::Printer;
use crate::domain::digest::Digest;
use crate::engine::request::RunRequest;
use crate::journal::claim::Claim;
use crate::policy::limits::{Caps, Used};

/// Hands the cells that can go on to a cluster.
///
/// # Errors
/// A file, a task or a setting that cannot be used, a folder that cannot be written, or the cluster.
pub async fn submit(program: &Program, printer: Printer, args: SubmitArgs) -> Result<Status, Failure> {
    let bench = OpenedBench::open(&args.bench.bench, args.bench.out.as_deref())?;
    let work = async |coordinator: &mut Option<Claim>| {
        submit_coordinated(program, printer, &bench, &args, coordinator).await
    };
    coordinated(&bench, args.dry_run, work).await
}

async fn submit_coordinated(
    program: &Program,
    printer: Printer,
    bench: &OpenedBench,
    args: &SubmitArgs,
    coordinator: &mut Option<Claim>,
) -> Result<Status, Failure> {
    let folder = bench.folder();
    let audited = folder.audit()?;
    let retry = RetryChoice::all(&args.retry);
    let places = BenchPlaces {
        root: bench.root(),
        out: &bench.out,
    };
    // Everything that can be refused is refused before anything is written.
    let shared = ProcessShared::default();
    let claimed = claimed(&bench.out)?;
    let cells = planned(program, &shared, &bench.file, places, retry).await?;
    let limits = BenchLimits::read(&bench.file)?;
    let plan = BenchPlan::new(&bench.file.name, &cells).with_parts_of(folder.plan()?);
    let spent = cells.iter().map(|cell| (cell.id.clone(), cell.spent)).collect();
    let hand_over = HandOver::new(program, bench, args)?;
    let mut wanted = chosen(&args.choice, cells)?;
    arrange(&bench.file, &mut wanted);
    if !args.choice.quarantined {
        wanted = without_quarantined(printer, wanted, &audited, true)?;
    }
    if !args.dry_run {
        folder.write_plan(&plan)?;
        if coordinator.is_none() {
            *coordinator = Some(coordinate(&bench.out)?);
        }
    }
    let handing = Handing {
        printer,
        bench,
        args,
        retry,
        limits,
        spent,
        claimed,
        hand_over,
    };
    handing.submit(plan, wanted).await
}

/// The handing over of cells.
struct Handing<'a> {
    printer: Printer,
    bench: &'a OpenedBench,
    args: &'a SubmitArgs,
    retry: Retry,
    limits: BenchLimits,
    /// What each cell of the file has come to, by its id.
    spent: BTreeMap<String, Used>,
    /// Cells at work before that was read.
    claimed: BTreeSet<String>,
    hand_over: HandOver<'a>,
}

impl Handing<'_> {
    async fn submit(&self, mut plan: BenchPlan, wanted: Vec<PlannedCell>) -> Result<Status, Failure> {
        let out = &self.bench.out;
        let sight = BenchSight::of(out).await?;
        if let Some(Err(error)) = &sight.queue {
            return Err(Failure::new(
                Status::Infrastructure,
                format!("{error}. Nothing is submitted while it is not known what is at work"),
            ));
        }
        let mut looked: BTreeMap<String, StandingCell> = (sight.look_at_all(&plan.cells)?.into_iter())
            .map(|cell| (cell.plan.cell.clone(), cell.or_claimed(&self.claimed)))
            .collect();
        let wanted: Vec<(PlannedCell, StandingCell)> = (wanted.into_iter())
            .filter_map(|cell| {
                let standing = looked.remove(&cell.id)?;
                Some((cell, standing))
            })
            .collect();
        let mut left = Vec::new();
        let mut counted = Vec::new();
        for (cell, standing) in &wanted {
            let why = self.against(cell, standing);
            let own = AllottedCell {
                at_work: standing.part_at_work(),
                wants: why.is_none(),
                ..AllottedCell::of_cell(cell)
            };
            counted.push(CellOfAgent {
                agent: &cell.spec.agent,
                cell: own,
            });
            if let Some(why) = why.filter(|_| standing.standing != Standing::Finished) {
                left.push(LeftCell::new(standing, why));
            }
        }
        let finished = wanted
            .iter()
            .filter(|(_, standing)| standing.standing == Standing::Finished)
            .count();
        // The money of cells that were not chosen counts as well.
        counted.extend(looked.values().map(|other| self.counted(other)));
        let parts = self.limits.divide(&counted)?;
        let mut shapes: BTreeMap<SlurmShape, Vec<HandedCell>> = BTreeMap::new();
        for ((cell, standing), (counted, allotted)) in wanted.iter().zip(counted.iter().zip(parts)) {
            match allotted {
                Some(allotted) => shapes
                    .entry(cell.spec.shape.clone().overlaid(&self.args.shape))
                    .or_default()
                    .push(HandedCell {
                        attempt: cell.attempt,
                        submitted: SubmittedCell {
                            cell: cell.id.clone(),
                            allotted,
                        },
                    }),
                None if counted.cell.wants => left.push(LeftCell::new(
                    standing,
                    "nothing is left of [limits] for it: larger ones, or what cells at work do not spend"
                        .to_owned(),
                )),
                None => {}
            }
        }
        if !self.args.dry_run {
            // What was handed out before is taken back, but for cells that processes have.
            let kept = wanted.iter().map(|(_, cell)| cell).chain(looked.values());
            let kept = kept.filter(|cell| cell.standing == Standing::Running);
            let kept: BTreeMap<&str, Option<Caps>> = kept
                .map(|cell| (cell.plan.cell.as_str(), cell.allotted))
                .collect();
            for cell in &mut plan.cells {
                cell.allotted = kept.get(cell.cell.as_str()).copied().flatten();
            }
            plan.divided = (self.bench.file.has_limits()).then(|| Digest::compute_json(&self.limits));
            self.bench.folder().write_plan(&plan)?;
        }
        let submitted = match shapes.is_empty() {
            true => None,
            false => Some(self.hand_over.hand_over(shapes, sight.now).await?),
        };
        let outcome = SubmitOutcome {
            printer: self.printer,
            json: self.args.json,
            dry_run: self.args.dry_run,
            out,
            handed: submitted.as_ref(),
            finished,
            left: &left,
        };
        outcome.tell()?;
        Ok(Status::Done)
    }

    /// A cell of the plan that was not chosen.
    fn counted<'a>(&self, other: &'a StandingCell) -> CellOfAgent<'a> {
        CellOfAgent {
            agent: &other.plan.agent,
            cell: AllottedCell {
                spent: self.spent.get(&other.plan.cell).copied().unwrap_or_default(),
                at_work: other.part_at_work(),
                ..AllottedCell::default()
            },
        }
    }

    /// What speaks against submitting a cell.
    fn against(&self, cell: &PlannedCell, standing: &StandingCell) -> Option<String> {
        match standing.standing {
            Standing::Finished => Some("it is finished".to_owned()),
            Standing::Queued | Standing::Running => Some("it is at work".to_owned()),
            Standing::Waiting => Some(format!(
                "it waits for an answer: `reprise bench approvals {}` gives one",
                self.bench.path.display()
            )),
            Standing::Infrastructure | Standing::Lost | Standing::Unjudged
                if standing.failures > self.args.infrastructure_repeats && !self.retry.infrastructure =>
            {
                Some(format!(
                    "it was lost or failed by the machine {} times in a row: `--retry infrastructure` submits it again",
                    standing.failures
                ))
            }
            Standing::Limit if self.is_at_own_limit(cell, standing) => {
                Some("a cap of its own ended it: a larger one in [settings] goes on".to_owned())
            }
            _ => None,
        }
    }

    /// Whether a cell would stop where it stands, since its caps are what they were.
    fn is_at_own_limit(&self, cell: &PlannedCell, standing: &StandingCell) -> bool {
        let is_own = standing
            .row
            .as_ref()
            .is_some_and(|row| CellPlan::result(row) == CellResult::Failed);
        let before = RunRequest::load(&cell.run.folder.join("run.json"));
        is_own && before.is_ok_and(|before| before.budget == cell.run.request.budget)
    }
}
