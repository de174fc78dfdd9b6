//! `reprise bench submit`.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use super::allotment::{AllottedCell, CappedGroup, allot_within, is_unlimited};
use super::bench_limits::BenchLimits;
use super::cell_order::arrange;
use super::cell_plan::{PlannedCell, Retry};
use super::cluster_queue::queue_of;
use super::coordinator::{coordinate, coordinated};
use super::hand_over::{HandOver, HandedCell};
use super::local_run::RetryChoice;
use super::opened::OpenedBench;
use super::planned_cells::{BenchPlaces, chosen, planned, without_quarantined};
use super::slurm::shape::SlurmShape;
use super::standing::{BenchSight, Standing, StandingCell};
use super::submission::{Submissions, SubmittedCell};
use super::submit_args::SubmitArgs;
use super::submit_told::{LeftCell, SubmitOutcome};
use crate::analysis::bench::cell::CellResult;
use crate::app::process_shared::ProcessShared;
use crate::app::program::Program;
use crate::cli::bench_plan::{BenchPlan, CellPlan};
use crate::cli::exit::{Failure, Status};
use crate::cli::output::Printer;
use crate::engine::request::RunRequest;
use crate::journal::claim::Claim;
use crate::policy::limits::Used;
use crate::policy::scope::Scope;

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
    let cells = planned(program, &shared, &bench.file, places, retry).await?;
    let limits = BenchLimits::read(&bench.file, bench.root())?;
    let plan = BenchPlan::new(&bench.file.name, &cells);
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
            *coordinator = Some(coordinate(&bench.out).await?);
        }
    }
    let handing = Handing {
        printer,
        bench,
        args,
        retry,
        limits,
        spent,
        hand_over,
    };
    handing.submit(&plan, wanted).await
}

/// A cell of the plan that was not chosen.
struct OtherCell {
    agent: String,
    counted: AllottedCell,
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
    hand_over: HandOver<'a>,
}

impl Handing<'_> {
    async fn submit(&self, plan: &BenchPlan, wanted: Vec<PlannedCell>) -> Result<Status, Failure> {
        let out = &self.bench.out;
        let submissions = Submissions::read(out)?;
        let now = Timestamp::now();
        let queue = queue_of(out, &submissions, now).await;
        if let Some(Err(error)) = &queue {
            return Err(Failure::new(
                Status::Infrastructure,
                format!("{error}. Nothing is submitted while it is not known what is at work"),
            ));
        }
        let sight = BenchSight {
            out,
            submissions: &submissions,
            queue: queue.as_ref(),
            now,
        };
        let standings = sight.look_at_all(&wanted.iter().map(CellPlan::new).collect::<Vec<_>>())?;
        let others = self.others(&sight, plan, &wanted)?;
        let mut left = Vec::new();
        let mut counted = Vec::new();
        for (cell, standing) in wanted.iter().zip(&standings) {
            let why = self.against(cell, standing);
            counted.push(AllottedCell {
                spent: cell.spent,
                at_work: standing
                    .is_at_work()
                    .then(|| standing.allotted.unwrap_or_default()),
                wants: why.is_none(),
                of_run: cell.run.request.budget.caps(Scope::Run),
            });
            if let Some(why) = why.filter(|_| standing.standing != Standing::Finished) {
                left.push(LeftCell::new(standing, why));
            }
        }
        let finished = standings
            .iter()
            .filter(|cell| cell.standing == Standing::Finished)
            .count();
        let agents = wanted.iter().map(|cell| cell.spec.agent.as_str());
        let groups = self
            .limits
            .groups(agents.chain(others.iter().map(|other| other.agent.as_str())));
        counted.extend(others.iter().map(|other| other.counted));
        self.ensure_limited(&groups, &counted)?;
        let mut shapes: BTreeMap<SlurmShape, Vec<HandedCell>> = BTreeMap::new();
        for ((cell, standing), (counted, allotted)) in wanted.iter().zip(&standings).zip(
            counted
                .iter()
                .zip(allot_within(&self.limits.all, &groups, &counted)),
        ) {
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
                None if counted.wants => left.push(LeftCell::new(
                    standing,
                    "nothing is left of [limits] for it: larger ones, or what cells at work do not spend"
                        .to_owned(),
                )),
                None => {}
            }
        }
        let submitted = match shapes.is_empty() {
            true => None,
            false => Some(self.hand_over.hand_over(shapes, now).await?),
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

    /// The cells of the plan that were not chosen, whose money counts as well.
    fn others(
        &self,
        sight: &BenchSight<'_>,
        plan: &BenchPlan,
        wanted: &[PlannedCell],
    ) -> Result<Vec<OtherCell>, Failure> {
        let wanted: BTreeSet<&str> = wanted.iter().map(|one| one.id.as_str()).collect();
        let is_other = |cell: &&CellPlan| !wanted.contains(cell.cell.as_str());
        let others: Vec<CellPlan> = plan.cells.iter().filter(is_other).cloned().collect();
        let looked = sight.look_at_all(&others)?;
        let others = looked.into_iter().map(|cell| OtherCell {
            counted: AllottedCell {
                spent: self.spent.get(&cell.plan.cell).copied().unwrap_or_default(),
                at_work: cell.is_at_work().then(|| cell.allotted.unwrap_or_default()),
                ..AllottedCell::default()
            },
            agent: cell.plan.agent,
        });
        Ok(others.collect())
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

    /// Refuses limits that cells at work know nothing of.
    fn ensure_limited(&self, groups: &[CappedGroup], cells: &[AllottedCell]) -> Result<(), Failure> {
        match is_unlimited(&self.limits.all, groups, cells) {
            true => Err(Failure::usage(
                "[limits] came into the file after cells were submitted without them: `reprise bench stop` first, so that \
                 they hold for all",
            )),
            false => Ok(()),
        }
    }
}
