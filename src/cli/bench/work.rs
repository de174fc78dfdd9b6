//! `reprise bench work`.

use std::path::Path;

use jiff::Timestamp;
use serde_json::json;

use super::bench_limits::BenchLimits;
use super::cell_worker::{CellWork, CellWorker};
use super::collect::plan_of;
use super::coordinator::ensure_nobody_hands_out;
use super::opened::OpenedBench;
use super::standing::{BenchSight, Standing, StandingCell, claims_of};
use super::submission::Submissions;
use super::work_args::WorkArgs;
use crate::app::program::Program;
use crate::cli::bench_plan::{BenchPlan, CellPlan};
use crate::cli::bench_results::quarantined;
use crate::cli::exit::{Failure, Status};
use crate::cli::output::{Printer, one_line};
use crate::cli::runs_at_once::run_row::{RunRow, gravest};
use crate::cli::signals::until_stopped;
use crate::domain::digest::Digest;
use crate::engine::error::EngineError;
use crate::journal::claim::ClaimEnd;
use crate::journal::holder::Holder;
use crate::journal::read;
use crate::policy::limits::Caps;
use crate::run::event::Event;

/// Runs one cell, or every cell that can go on, or goes on with them.
///
/// # Errors
/// A cell that is not planned, that another process has, that was submitted anew, or that nothing is left for.
pub async fn work(program: &Program, printer: Printer, args: WorkArgs) -> Result<Status, Failure> {
    let bench = OpenedBench::open(&args.bench.bench, args.bench.out.as_deref())?;
    let plan = plan_of(&bench)?;
    let (cancel, signals) = until_stopped();
    let work = CellWork {
        program,
        printer,
        bench: &bench,
        args: &args,
        cancel,
    };
    let worked = match &args.cell {
        Some(id) => work.carry_named(&plan, id).await,
        None => work.carry_all(&plan).await,
    };
    signals.abort();
    worked
}

impl CellWork<'_> {
    async fn carry_named(&self, plan: &BenchPlan, id: &str) -> Result<Status, Failure> {
        let cell = self.cell_of(plan, id)?;
        let row = self.carry(cell).await?;
        tell(self.printer, self.args.json, cell, &row)?;
        Ok(Status::from_code(row.code()).unwrap_or(Status::Infrastructure))
    }

    /// Works on one cell after the other that can go on, each once.
    async fn carry_all(&self, plan: &BenchPlan) -> Result<Status, Failure> {
        let quarantined = quarantined(plan, &self.bench.folder().audit()?);
        let mut rows = Vec::new();
        for cell in plan
            .cells
            .iter()
            .filter(|cell| !quarantined.contains_key(&cell.cell))
        {
            if self.cancel.is_cancelled() {
                return Ok(Status::Interrupted);
            }
            if !can_go_on(self.standing(cell).await?.standing) {
                continue;
            }
            if self.bench.file.has_limits() {
                self.handed_out()?;
            }
            let row = match self.carry(cell).await {
                Ok(row) => row,
                Err(failure) => {
                    // Another process was faster.
                    if self.standing(cell).await?.is_at_work() {
                        continue;
                    }
                    self.unfinished(cell, failure)
                }
            };
            tell(self.printer, false, cell, &row)?;
            rows.push(row);
        }
        Ok(gravest(&rows))
    }

    fn cell_of<'p>(&self, plan: &'p BenchPlan, id: &str) -> Result<&'p CellPlan, Failure> {
        let cell = plan.cells.iter().find(|cell| cell.cell == id);
        cell.ok_or_else(|| {
            Failure::usage(format!(
                "{} has no cell {}: `reprise bench FILE --plan` prints the ids, and `submit` plans them",
                self.bench.out.display(),
                one_line(id)
            ))
        })
    }

    /// Claims a cell and works on it.
    async fn carry(&self, cell: &CellPlan) -> Result<RunRow, Failure> {
        let before = self.part(cell).await?;
        let claims = claims_of(&self.bench.out, &cell.cell);
        let claim = claims.take(
            Holder::here(job(self.program)),
            Timestamp::now(),
            self.args.submission,
        );
        let claim = claim.map_err(EngineError::from)?;
        // It may have been handed out anew in between: from here on it is not.
        let row = match self.part(cell).await {
            Ok(caps) if caps == before => {
                let worker = CellWorker {
                    work: self,
                    cell,
                    caps,
                };
                let row = worker.carry(&claim).await;
                row.unwrap_or_else(|failure| self.unfinished(cell, failure))
            }
            Ok(_) => self.unfinished(cell, stopped("it was handed out anew meanwhile")),
            Err(failure) => self.unfinished(cell, stopped(failure.message)),
        };
        let end = ClaimEnd {
            at: Timestamp::now(),
            exit_code: row.code(),
            detail: row.detail_with_judge(),
            steps: steps(&row.folder),
        };
        if claim.is_ours() {
            claim.end(end).map_err(EngineError::from)?;
        }
        Ok(row)
    }

    fn unfinished(&self, cell: &CellPlan, failure: Failure) -> RunRow {
        let place = self.bench.out.join(&cell.folder);
        RunRow::unfinished(cell.name(), place, failure.status, Some(failure.message))
    }

    /// The caps of a cell: of its submission, else those that were handed out with the plan.
    async fn part(&self, cell: &CellPlan) -> Result<Caps, Failure> {
        let out = &self.bench.out;
        let submissions = Submissions::read(out)?;
        let last = submissions.last_of(&cell.cell);
        if let Some(submission) = self.args.submission {
            return match last {
                Some(last) if last.submission.number == submission => Ok(last.cell.allotted),
                other => Err(Failure::usage(format!(
                    "cell {} is of submission {}, and not of {submission} any more: it is left to that one",
                    cell.cell,
                    other.map_or("none".to_owned(), |last| last.submission.number.to_string())
                ))),
            };
        }
        if !self.bench.file.has_limits() {
            return Ok(last.map_or_else(Caps::default, |last| last.cell.allotted));
        }
        if let Some(part) = self.cell_of(&self.handed_out()?, &cell.cell)?.allotted {
            return Ok(part);
        }
        let standing = self.standing(cell).await?;
        Err(match standing.standing {
            Standing::Queued => Failure::usage(format!(
                "cell {} is submitted ({}): it is left to its job, which `reprise bench stop` cancels",
                cell.cell,
                standing.detail.as_deref().unwrap_or("queued")
            )),
            _ => Failure::new(
                Status::Limit,
                format!(
                    "nothing is left of [limits] for cell {}: larger ones, or what other cells did not spend, are divided \
                     by `reprise bench plan {}`",
                    cell.cell,
                    self.bench.path.display()
                ),
            ),
        })
    }

    /// The plan, once nobody hands out its cells and with the parts of the caps as the file has them.
    fn handed_out(&self) -> Result<BenchPlan, Failure> {
        ensure_nobody_hands_out(&self.bench.out)?;
        let plan = plan_of(self.bench)?;
        let limits = BenchLimits::read(&self.bench.file)?;
        match plan.divided == Some(Digest::compute_json(&limits)) {
            true => Ok(plan),
            false => Err(Failure::usage(format!(
                "[limits] as they are were not divided among the cells yet: `reprise bench plan {}` does that",
                self.bench.path.display()
            ))),
        }
    }

    async fn standing(&self, cell: &CellPlan) -> Result<StandingCell, Failure> {
        BenchSight::of(&self.bench.out).await?.look_at(cell)
    }
}

/// Whether work on a cell of this standing leads anywhere.
fn can_go_on(standing: Standing) -> bool {
    match standing {
        Standing::ToBegin
        | Standing::Stopped
        | Standing::Lost
        | Standing::Infrastructure
        | Standing::Limit
        | Standing::Unjudged => true,
        Standing::Queued
        | Standing::Running
        | Standing::Waiting
        | Standing::Finished
        | Standing::Quarantined => false,
    }
}

/// A stop before any work, which the next process goes on from.
fn stopped(message: impl Into<String>) -> Failure {
    Failure::new(Status::Interrupted, message)
}

/// The job of a cluster's that this process is part of.
fn job(program: &Program) -> Option<String> {
    let variable = |name: &str| program.settings.secret(name).map(str::to_owned);
    let array = variable("SLURM_ARRAY_JOB_ID").zip(variable("SLURM_ARRAY_TASK_ID"));
    array
        .map(|(job, task)| format!("{job}_{task}"))
        .or_else(|| variable("SLURM_JOB_ID"))
}

/// The events of a run that took it further.
fn steps(run: &Path) -> u64 {
    let is_step = |event: &Event| {
        !matches!(
            event,
            Event::Resumed(_)
                | Event::Paused { .. }
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
