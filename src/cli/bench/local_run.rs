//! The cells of a bench, run by this process.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, ValueEnum};

use super::allotment::{AllottedCell, outstanding};
use super::bench_limits::BenchLimits;
use super::cell_judging::CellJudges;
use super::cell_order::arrange;
use super::cell_plan::{PlannedCell, Retry};
use super::coordinator::{coordinate, coordinated};
use super::estimate::BenchEstimate;
use super::handing_out::hand_out;
use super::opened::OpenedBench;
use super::planned_cells::{BenchPlaces, CellChoiceArgs, chosen, parted, planned, without_quarantined};
use super::prior::PriorBounds;
use super::standing::{BenchSight, claimed, claims_of};
use super::submission::{SUBMISSIONS, Submissions};
use super::told::{RestOfCells, tell, tell_plan};
use crate::app::process_shared::{EXECUTIONS, ProcessShared};
use crate::app::program::Program;
use crate::cli::bench_plan::{BenchPlan, CellPlan};
use crate::cli::exit::{Failure, Status};
use crate::cli::output::Printer;
use crate::cli::runs_at_once::board::EventsFile;
use crate::cli::runs_at_once::carry_all::{ManyRuns, carry_until};
use crate::cli::runs_at_once::run_row::{RunRow, gravest};
use crate::cli::signals::until_stopped;
use crate::engine::error::EngineError;
use crate::grading::discovery::outcome_labels::StudyLabels;
use crate::journal::claim::Claim;
use crate::model::access::Access;

/// The failures after which cells that are over are run again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RetryChoice {
    /// The agent's own, and limits of the cell.
    Failed,
    /// Of the provider, the sandbox or the machine.
    Infrastructure,
}

impl RetryChoice {
    /// The failures of several choices.
    pub fn all(chosen: &[Self]) -> Retry {
        Retry {
            failed: chosen.contains(&Self::Failed),
            infrastructure: chosen.contains(&Self::Infrastructure),
        }
    }
}

/// The arguments of `reprise bench FILE`.
#[derive(Debug, Args)]
pub struct LocalArgs {
    /// The bench file.
    #[arg(required = true)]
    pub file: Option<PathBuf>,
    /// The folder of the bench [default: the file's name without its ending]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Print the cells, what stands in their way and what they may take, and run nothing.
    #[arg(long)]
    pub plan: bool,
    #[command(flatten)]
    pub choice: CellChoiceArgs,
    /// Run cells again that are over and failed so; earlier attempts stay. May be given again
    #[arg(long, value_enum, value_name = "WHICH")]
    pub retry: Vec<RetryChoice>,
    /// How often a cell is gone on with by itself after the provider, the sandbox or the machine failed.
    #[arg(long, default_value_t = 2, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(..=100))]
    pub infrastructure_repeats: u32,
    /// Cells under way at once.
    #[arg(long, default_value_t = 2, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub parallel: u32,
    /// Cells that execute or have a session open at once; each waits as well until memory and disk are free for it
    #[arg(long, default_value_t = EXECUTIONS, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub executions: u32,
    /// Append a JSON line to this file whenever a cell begins, waits for a provider or ends, and every 15 s one with
    /// counts, rate, money and time left
    #[arg(long, value_name = "FILE")]
    pub events: Option<PathBuf>,
    /// Print nothing while it goes.
    #[arg(long, short)]
    pub quiet: bool,
    /// Print the results as JSON.
    #[arg(long)]
    pub json: bool,
    /// Whether a plan that is printed is written as well, for `reprise bench work`.
    #[arg(skip)]
    pub writes_plan: bool,
}

/// Runs the cells of a bench file as far as they go. Those that a cluster has are left to it.
///
/// # Errors
/// A file, a task or a setting that cannot be used, or results that cannot be written.
pub async fn run(program: &Program, printer: Printer, args: LocalArgs) -> Result<Status, Failure> {
    let named = args.file.as_deref().unwrap_or(Path::new(""));
    let (bench, fault) = OpenedBench::open_with_faults(named, args.out.as_deref())?;
    if let Some(fault) = fault {
        return Err(with_faults_of_cells(program, &bench, fault).await);
    }
    let work = async |coordinator: &mut Option<Claim>| {
        run_coordinated(program, printer, &bench, &args, coordinator).await
    };
    coordinated(&bench, args.plan && !args.writes_plan, work).await
}

/// The faults of a file with those of the cells that the rest of it names.
async fn with_faults_of_cells(program: &Program, bench: &OpenedBench, of_file: Failure) -> Failure {
    let places = BenchPlaces {
        root: bench.root(),
        out: &bench.out,
    };
    let shared = ProcessShared::default();
    match planned(program, &shared, &bench.file, places, Retry::default()).await {
        Ok(_) => of_file,
        Err(of_cells) => Failure::new(
            of_file.status,
            format!("{}\n{}", of_file.message, of_cells.message),
        ),
    }
}

async fn run_coordinated(
    program: &Program,
    printer: Printer,
    bench: &OpenedBench,
    args: &LocalArgs,
    coordinator: &mut Option<Claim>,
) -> Result<Status, Failure> {
    let folder = bench.folder();
    let audited = folder.audit()?;
    let events = args.events.as_deref().map(EventsFile::open).transpose()?;
    let events = events.map(Arc::new);
    let places = BenchPlaces {
        root: bench.root(),
        out: &bench.out,
    };
    let mut retry = RetryChoice::all(&args.retry);
    let mut again: Option<BTreeSet<String>> = None;
    let mut ended = BTreeMap::<String, EndedCell>::new();
    for round in 0..=args.infrastructure_repeats {
        // What all have spent is read from their journals anew.
        // Limits that cannot be read are told beside the other faults.
        let limits = BenchLimits::read(&bench.file).unwrap_or_default();
        let shared = ProcessShared::with_caps(limits.all);
        let shared = Arc::new(shared.with_executions(args.executions).with_locks(bench.locks()));
        let claimed = claimed(&bench.out)?;
        let planned = planned(program, &shared, &bench.file, places, retry).await?;
        let mut plan = BenchPlan::new(&bench.file.name, &planned).with_parts_of(folder.plan()?);
        let elsewhere = match args.plan {
            true => BTreeSet::new(),
            false => elsewhere(&bench.out, &plan, &planned, &claimed, &shared).await?,
        };
        let counted: Vec<AllottedCell> = planned.iter().map(AllottedCell::of_cell).collect();
        let mut chosen = chosen(&args.choice, planned)?;
        arrange(&bench.file, &mut chosen);
        let mut left_out = Vec::new();
        match (args.choice.quarantined, args.plan) {
            (true, _) => {}
            (false, true) => (chosen, left_out) = parted(chosen, &audited),
            (false, false) => chosen = without_quarantined(printer, chosen, &audited, round == 0)?,
        }
        if let Some(again) = &again {
            chosen.retain(|cell| again.contains(&cell.id));
        }
        if args.plan {
            if args.writes_plan {
                let chosen: BTreeSet<&str> = chosen.iter().map(|cell| cell.id.as_str()).collect();
                hand_out(bench, &limits, &mut plan, counted, &chosen, &claimed).await?;
                folder.write_plan(&plan)?;
            }
            let access = Access::open(&program.settings).map_err(EngineError::from)?;
            let estimate = BenchEstimate::new(&chosen, &folder.known()?, |cells| {
                PriorBounds::new(program, &access, cells, &limits.all)
            });
            return tell_plan(printer, args.json, &chosen, &left_out, &estimate, &limits);
        }
        // What nobody has is this process's.
        for cell in plan
            .cells
            .iter_mut()
            .filter(|cell| !elsewhere.contains(&cell.cell))
        {
            cell.allotted = None;
        }
        folder.write_plan(&plan)?;
        if coordinator.is_none() {
            *coordinator = Some(coordinate(&bench.out)?);
            if !Submissions::read(&bench.out)?.is_empty() {
                return Err(Failure::usage(format!(
                    "{}: cells were submitted meanwhile; the same command again goes on beside them",
                    bench.out.display()
                )));
            }
        }
        let all = chosen.len();
        chosen.retain(|cell| !elsewhere.contains(&cell.id));
        if chosen.len() < all && round == 0 {
            printer.note(format!(
                "{} of {all} cells are at work elsewhere, and left out: `reprise bench status` says where",
                all - chosen.len()
            ));
        }
        let cells: Vec<CellPlan> = chosen.iter().map(CellPlan::new).collect();
        let (runs, judging): (Vec<_>, Vec<_>) =
            chosen.into_iter().map(|cell| (cell.run, cell.judging)).unzip();
        let choice = ManyRuns {
            parallel: args.parallel,
            quiet: args.quiet,
            events: events.clone(),
        };
        let (cancel, watcher) = until_stopped();
        let mut rows = carry_until(program, printer, runs, shared.clone(), choice, cancel.clone()).await?;
        let judges = CellJudges {
            program,
            printer,
            shared: &shared,
            parallel: args.parallel as usize,
            quiet: args.quiet,
        };
        let judged = judges.judge(&judging, &mut rows, &cancel).await;
        watcher.abort();
        judged?;
        let is = |row: &RunRow, status: Status| row.code() == status.code();
        let is_stopped = rows.iter().any(|row| is(row, Status::Interrupted));
        let failed: BTreeSet<String> = cells
            .iter()
            .zip(&rows)
            .filter(|(_, row)| is(row, Status::Infrastructure))
            .map(|(cell, _)| cell.cell.clone())
            .collect();
        for (plan, row) in cells.into_iter().zip(rows) {
            ended.insert(plan.cell.clone(), EndedCell { plan, row });
        }
        let mut labels = StudyLabels::default();
        let results = (ended.values()).map(|cell| cell.plan.clone().with(&cell.row, &mut labels));
        let known = folder.write(&plan, results.collect())?;
        if failed.is_empty() || is_stopped || round == args.infrastructure_repeats {
            let rest = match args.choice.only.is_empty() && args.choice.skip.is_empty() {
                true => RestOfCells::ByStatus,
                false => RestOfCells::NotChosen,
            };
            tell(printer, args.json, &plan, &known, rest)?;
            break;
        }
        printer.note(format!(
            "{} of {} cells fell to the provider, the sandbox or the machine: they are gone on with, for the {} of {} times",
            failed.len(),
            ended.len(),
            round + 1,
            args.infrastructure_repeats
        ));
        retry = Retry {
            failed: false,
            infrastructure: true,
        };
        again = Some(failed);
    }
    if !args.json {
        printer.line(format!("page: {}", folder.page().display()));
    }
    let rows: Vec<RunRow> = ended.into_values().map(|cell| cell.row).collect();
    Ok(gravest(&rows))
}

/// A cell and what came of its run.
struct EndedCell {
    plan: CellPlan,
    row: RunRow,
}

/// The cells that others work on, or may take up; what these may still spend is set aside.
async fn elsewhere(
    out: &Path,
    plan: &BenchPlan,
    planned: &[PlannedCell],
    claimed: &BTreeSet<String>,
    shared: &ProcessShared,
) -> Result<BTreeSet<String>, Failure> {
    let sight = BenchSight::of(out).await?;
    if let Some(Err(error)) = &sight.queue {
        return Err(Failure::new(
            Status::Infrastructure,
            format!(
                "{error}. Cells of this bench were submitted, and without an answer nothing is run twice: where no job \
                 is left, remove {}",
                out.join(SUBMISSIONS).display()
            ),
        ));
    }
    let mut elsewhere = BTreeSet::new();
    // Where nobody claimed a cell and none was submitted, nobody has it.
    let is_known = |cell: &PlannedCell| !sight.submissions.is_empty() || claims_of(out, &cell.id).0.exists();
    for (cell, own) in planned.iter().zip(&plan.cells).filter(|(cell, _)| is_known(cell)) {
        let standing = sight.look_at(own)?.or_claimed(claimed);
        if standing.is_at_work() {
            let own = cell.run.shared.as_deref().unwrap_or(shared);
            own.pool.set_aside(outstanding(cell.spent, standing.allotted));
            elsewhere.insert(cell.id.clone());
        }
    }
    Ok(elsewhere)
}
