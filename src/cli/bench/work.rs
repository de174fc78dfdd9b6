//! `reprise bench work`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use clap::Args;
use jiff::Timestamp;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::allotment_file::AllotmentFile;
use super::cell_allotment::{AllottedClaim, CellAllotment, measured};
use super::cell_judging::CellJudges;
use super::cell_plan::{PlannedCell, Planner, Retry};
use super::cell_spec::{CellSpec, combine};
use super::collect::plan_of;
use super::coordinator::coordinated_briefly;
use super::node_check::check_node;
use super::opened::{BenchFileArgs, OpenedBench};
use super::standing::claims_of;
use super::submission::{LastSubmission, Submissions};
use super::tasks::tasks_where;
use crate::app::process_shared::ProcessShared;
use crate::app::program::Program;
use crate::cli::bench_plan::CellPlan;
use crate::cli::exit::{Failure, Status};
use crate::cli::output::{Printer, one_line};
use crate::cli::runs_at_once::carry_all::{ManyRuns, carry_until};
use crate::cli::runs_at_once::run_row::RunRow;
use crate::cli::signals::until_stopped;
use crate::engine::error::EngineError;
use crate::journal::claim::{Claim, ClaimEnd, ReadClaim};
use crate::journal::holder::Holder;
use crate::journal::read;
use crate::model::access::Access;
use crate::policy::limits::Caps;
use crate::run::event::Event;

/// The time between two looks at whether the cell is still this process's.
const LOOK: Duration = Duration::from_secs(5);

#[derive(Debug, Args)]
#[command(after_help = "\
Claims the cell, so that no process of this machine or another works on it as well, looks whether this machine has what \
the cell needs, and runs it or goes on with it. Of [limits] it takes what `submit` allotted the cell, else an equal part \
of what is left for it and the others that could go on, noted in OUT/allotments/CELL.json; at the end it gives back what \
is left of that. Besides it writes below the cell's own folders and nowhere else; `reprise bench collect` reads what came \
of it. `reprise bench submit` writes scripts that call this; ids are those of `--plan`.

Exit codes: those of the run; 7 where the machine failed it, 130 where a signal stopped it, to be gone on with.

Example:
  reprise bench work bench.toml --cell 0a1b2c3d4e5f")]
pub struct WorkArgs {
    #[command(flatten)]
    pub bench: BenchFileArgs,
    /// The id of the cell.
    #[arg(long, value_name = "ID")]
    pub cell: String,
    /// The submission that this is part of; a later one of the cell stands above it.
    #[arg(long, value_name = "NUMBER")]
    pub submission: Option<u32>,
    /// The attempt that is made at the least; earlier ones stay as they are.
    #[arg(long, default_value_t = 1, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub attempt: u32,
    /// How often the cell is gone on with by itself after the provider, the sandbox or the machine failed.
    #[arg(long, default_value_t = 2, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(..=100))]
    pub infrastructure_repeats: u32,
    /// Print nothing while it goes.
    #[arg(long, short)]
    pub quiet: bool,
    /// Print what it came to as JSON.
    #[arg(long)]
    pub json: bool,
}

/// Runs one cell, or goes on with it.
///
/// # Errors
/// A cell that is not planned, that another process has, or that was submitted anew.
pub async fn work(program: &Program, printer: Printer, args: WorkArgs) -> Result<Status, Failure> {
    let bench = OpenedBench::open(&args.bench.bench, args.bench.out.as_deref())?;
    let plan = plan_of(&bench)?;
    let cell = plan.cells.iter().find(|cell| cell.cell == args.cell).cloned();
    let cell = cell.ok_or_else(|| {
        Failure::usage(format!(
            "{} has no cell {}: `reprise bench FILE --plan` prints the ids, and `submit` plans them",
            bench.out.display(),
            one_line(&args.cell)
        ))
    })?;
    let holder = Holder::here(job(program));
    let claimed = match args.submission.is_none() && bench.file.has_limits() {
        true => {
            let allotment = CellAllotment {
                program,
                bench: &bench,
                plan: &plan,
                cell: &cell,
                attempt: args.attempt,
            };
            let allotted = coordinated_briefly(&bench.out, async || allotment.claim(holder).await).await?;
            ClaimedCell::by_itself(allotted)
        }
        false => ClaimedCell::of_submission(&bench, &args, &cell, holder)?,
    };
    let ClaimedCell { claim, caps, part } = claimed;
    let worker = CellWorker {
        program,
        printer,
        bench: &bench,
        args: &args,
        cell: &cell,
        caps,
    };
    let row = match worker.carry(&claim).await {
        Ok(row) => row,
        Err(failure) => RunRow::unfinished(
            cell.name(),
            bench.out.join(&cell.folder),
            failure.status,
            Some(failure.message),
        ),
    };
    let end = ClaimEnd {
        at: Timestamp::now(),
        exit_code: row.code(),
        detail: row.detail_with_judge(),
        steps: steps(&row.folder),
    };
    if claim.is_ours() {
        let given_back = part.map(|part| give_back(program, &bench, &cell, part));
        claim.end(end).map_err(EngineError::from)?;
        given_back.transpose()?;
    }
    tell(printer, args.json, &cell, &row)?;
    Ok(Status::from_code(row.code()).unwrap_or(Status::Infrastructure))
}

/// The job of a cluster's that this process is part of.
fn job(program: &Program) -> Option<String> {
    let variable = |name: &str| program.settings.secret(name).map(str::to_owned);
    let array = variable("SLURM_ARRAY_JOB_ID").zip(variable("SLURM_ARRAY_TASK_ID"));
    array
        .map(|(job, task)| format!("{job}_{task}"))
        .or_else(|| variable("SLURM_JOB_ID"))
}

/// A cell that this process has claimed, and the caps on what it may come to.
struct ClaimedCell {
    claim: Claim,
    caps: Caps,
    /// What it was allotted by itself, to be given back.
    part: Option<AllotmentFile>,
}

impl ClaimedCell {
    fn by_itself(allotted: AllottedClaim) -> Self {
        Self {
            claim: allotted.claim,
            caps: allotted.part.allotted,
            part: Some(allotted.part),
        }
    }

    fn of_submission(
        bench: &OpenedBench,
        args: &WorkArgs,
        cell: &CellPlan,
        holder: Holder,
    ) -> Result<Self, Failure> {
        let allotment = || {
            let submissions = Submissions::read(&bench.out)?;
            allotted(args, submissions.last_of(&cell.cell))
        };
        let before = allotment()?;
        let claims = claims_of(&bench.out, &cell.cell);
        let claim = claims.take(holder, Timestamp::now(), args.submission);
        Ok(Self {
            claim: claim.map_err(EngineError::from)?,
            // It may have been submitted anew in between: from here on it is not.
            caps: allotment().unwrap_or(before),
            part: None,
        })
    }
}

/// Gives back what the cell did not spend of its part.
fn give_back(
    program: &Program,
    bench: &OpenedBench,
    cell: &CellPlan,
    part: AllotmentFile,
) -> Result<(), Failure> {
    let access = Access::open(&program.settings).map_err(EngineError::from)?;
    let found = measured(&bench.out, cell, &access)?;
    part.give_back(&bench.out, Timestamp::now(), found)
}

/// The caps of the cell, by its last submission.
fn allotted(args: &WorkArgs, last: Option<LastSubmission<'_>>) -> Result<Caps, Failure> {
    let number = last.map(|last| last.submission.number);
    if let Some(submission) = args.submission
        && number != Some(submission)
    {
        let later = number.map_or("none".to_owned(), |number| number.to_string());
        return Err(Failure::usage(format!(
            "cell {} is of submission {later}, and not of {submission} any more: it is left to that one",
            args.cell
        )));
    }
    Ok(last.map_or_else(Caps::default, |last| last.cell.allotted))
}

/// The work on one cell.
struct CellWorker<'a> {
    program: &'a Program,
    printer: Printer,
    bench: &'a OpenedBench,
    args: &'a WorkArgs,
    cell: &'a CellPlan,
    caps: Caps,
}

impl CellWorker<'_> {
    async fn carry(&self, claim: &Claim) -> Result<RunRow, Failure> {
        let earlier = claim.earlier(SystemTime::now()).map_err(EngineError::from)?;
        if let Some(steps) = self.without_progress(&earlier) {
            return Err(of_machine(format!(
                "two jobs in a row were stopped with {steps} steps done, and none was added: give a longer --time, so \
                 that the longest step ends in it"
            )));
        }
        let (cancel, signals) = until_stopped();
        let rounds = self.rounds(cancel.clone());
        tokio::pin!(rounds);
        let carried = tokio::select! {
            carried = &mut rounds => carried,
            // Whoever lost the cell stops in order.
            () = until_lost(claim, &cancel) => rounds.await,
        };
        signals.abort();
        if !claim.is_ours() {
            return Err(of_machine(
                "another process has taken the cell up, or no sign of life could be written to its folder",
            ));
        }
        carried
    }

    /// Goes on with the cell by itself where the machine failed it, a bounded number of times.
    async fn rounds(&self, cancel: CancellationToken) -> Result<RunRow, Failure> {
        let mut retry = Retry::default();
        let mut round = 0;
        loop {
            let shared = Arc::new(ProcessShared::with_caps(self.caps).with_locks(self.bench.locks()));
            let planned = self.planned(&shared, retry).await?;
            let is_over = planned.run.before.as_ref().is_some_and(|before| before.finished);
            if !is_over {
                let checked = check_node(self.program, &planned.run.request, &self.bench.out).await;
                checked.map_err(|unfit| of_machine(unfit.to_string()))?;
            }
            let choice = ManyRuns {
                parallel: 1,
                quiet: self.args.quiet,
                events: None,
            };
            let (runs, judging) = (vec![planned.run], [planned.judging]);
            let mut rows = carry_until(
                self.program,
                self.printer,
                runs,
                shared.clone(),
                choice,
                cancel.clone(),
            )
            .await?;
            let judges = CellJudges {
                program: self.program,
                printer: self.printer,
                shared: &shared,
                parallel: 1,
                quiet: self.args.quiet,
            };
            judges.judge(&judging, &mut rows, &cancel).await?;
            let row = rows
                .into_iter()
                .next()
                .ok_or_else(|| of_machine("the run left no trace"))?;
            let is_of_machine = row.code() == Status::Infrastructure.code();
            if !is_of_machine || cancel.is_cancelled() || round == self.args.infrastructure_repeats {
                return Ok(row);
            }
            round += 1;
            retry.infrastructure = true;
        }
    }

    /// The cell, planned here. It was planned before, so that whatever stands in its way is of this machine.
    async fn planned(&self, shared: &ProcessShared, retry: Retry) -> Result<PlannedCell, Failure> {
        let (file, root) = (&self.bench.file, self.bench.root());
        let opened = tasks_where(file, root, &|name| name == self.cell.task);
        let is_own = |spec: &CellSpec| {
            let cell = self.cell;
            (spec.kind, &spec.task, &spec.agent) == (cell.kind, &cell.task, &cell.agent)
                && (&spec.arm, spec.repeat) == (&cell.arm, cell.repeat)
        };
        let spec = combine(file, &opened.tasks, root).into_iter().find(is_own);
        let Some(spec) = spec else {
            let fault = opened.faults.first().map(|fault| fault.message.as_str());
            return Err(of_machine(fault.unwrap_or(
                "the bench file names this cell no more: `reprise bench submit` plans its cells anew",
            )));
        };
        let mut planner =
            Planner::new(self.program, shared, &self.bench.out, retry).at_the_least(self.args.attempt);
        let planned = planner
            .plan(spec)
            .await
            .map_err(|failure| of_machine(failure.message))?;
        if planned.id != self.cell.cell {
            let changed = changed(&self.cell.parts, &planned.parts);
            return Err(Failure::usage(format!(
                "{changed} changed since the cell was planned, so that it is cell {} by now: `reprise bench plan` or \
                 `submit` plans it anew",
                planned.id
            )));
        }
        Ok(planned)
    }

    /// The steps of the last two jobs of this submission, where both were stopped at the same ones.
    fn without_progress(&self, earlier: &[ReadClaim]) -> Option<u64> {
        let stopped = |claim: &ReadClaim| {
            let note = claim
                .note
                .as_ref()
                .filter(|note| note.submission == self.args.submission)?;
            let end = note.end.as_ref()?;
            (end.exit_code == Status::Interrupted.code()).then_some(end.steps)
        };
        let [.., before, last] = earlier else { return None };
        self.args.submission?;
        let (before, last) = (stopped(before)?, stopped(last)?);
        (before == last).then_some(last)
    }
}

/// The parts of a cell that are others than planned, in words.
fn changed(planned: &BTreeMap<String, String>, here: &BTreeMap<String, String>) -> String {
    let names: BTreeSet<&String> = planned.keys().chain(here.keys()).collect();
    let other = names
        .into_iter()
        .filter(|name| planned.get(*name) != here.get(*name));
    let words: Vec<&str> = other
        .map(|name| match name.as_str() {
            "task" => "its task",
            "capsule" => "its capsule's files",
            "asked" => "its settings, or the sandbox that `sandbox = \"auto\"` finds here,",
            "recording" => "its recording",
            "judge" => "its judge or what that is asked",
            "catalog" => "its prompts",
            "program" => "the program that is its agent",
            "version" => "the version of reprise",
            _ => "what it is made of",
        })
        .collect();
    match words.is_empty() || planned.is_empty() {
        // Planned by a version that noted no parts.
        true => "its task, its prompts or the program".to_owned(),
        false => words.join(" and "),
    }
}

/// Returns once the cell is another process's, having asked for an end.
async fn until_lost(claim: &Claim, cancel: &CancellationToken) {
    loop {
        tokio::time::sleep(LOOK).await;
        if !claim.is_ours() {
            cancel.cancel();
            return;
        }
    }
}

/// A failure that is no doing of the agent's.
fn of_machine(message: impl Into<String>) -> Failure {
    Failure::new(Status::Infrastructure, message)
}

/// The events of a run that took it further.
fn steps(run: &Path) -> u64 {
    let is_step = |event: &Event| {
        !matches!(
            event,
            Event::Resumed(_)
                | Event::Halted(_)
                | Event::Interrupted { .. }
                | Event::ExecutionStarted(_)
                | Event::ExecutionInterrupted { .. }
        )
    };
    let found = read::read(&run.join("journal.jsonl"));
    found.map_or(0, |found| {
        let steps = found.records.iter().filter(|record| is_step(&record.event));
        steps.count() as u64
    })
}

fn tell(printer: Printer, json: bool, cell: &CellPlan, row: &RunRow) -> Result<(), Failure> {
    if json {
        return printer.json(&json!({
            "cell": cell.cell,
            "name": cell.name(),
            "folder": row.folder,
            "status": row.status,
            "exit_code": row.code(),
            "passed_over": row.passed_over,
            "detail": row.detail_with_judge(),
            "cost": row.money_with_judge(cell.judge.as_ref()),
        }));
    }
    let result = CellPlan::result(row);
    let words = CellPlan::words(row, result);
    printer.line(format!("{}: {}", one_line(&cell.name()), one_line(&words)));
    Ok(())
}
