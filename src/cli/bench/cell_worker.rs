//! The work on one cell of a bench that this process has claimed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use tokio_util::sync::CancellationToken;

use super::cell_judging::CellJudges;
use super::cell_plan::{PlannedCell, Planner, Retry};
use super::cell_spec::{CellSpec, combine};
use super::node_check::check_node;
use super::opened::OpenedBench;
use super::tasks::tasks_where;
use super::work_args::WorkArgs;
use crate::app::process_shared::ProcessShared;
use crate::app::program::Program;
use crate::cli::bench_plan::CellPlan;
use crate::cli::exit::{Failure, Status};
use crate::cli::output::Printer;
use crate::cli::runs_at_once::carry_all::{ManyRuns, carry_until};
use crate::cli::runs_at_once::run_row::RunRow;
use crate::engine::error::EngineError;
use crate::journal::claim::{Claim, ReadClaim};
use crate::policy::limits::Caps;

/// The time between two looks at whether the cell is still this process's.
const LOOK: Duration = Duration::from_secs(5);

/// The work on cells of a bench.
pub struct CellWork<'a> {
    pub program: &'a Program,
    pub printer: Printer,
    pub bench: &'a OpenedBench,
    pub args: &'a WorkArgs,
    /// Cancelled by a signal.
    pub cancel: CancellationToken,
}

/// The work on one cell.
pub struct CellWorker<'a> {
    pub work: &'a CellWork<'a>,
    pub cell: &'a CellPlan,
    /// On what it may come to, all its attempts together.
    pub caps: Caps,
}

impl CellWorker<'_> {
    /// Works on it as long as the claim is this process's.
    ///
    /// # Errors
    /// A machine that lacks something, a cell that changed, or one that another process took.
    pub async fn carry(&self, claim: &Claim) -> Result<RunRow, Failure> {
        let cancel = self.work.cancel.child_token();
        let earlier = claim.earlier(SystemTime::now()).map_err(EngineError::from)?;
        if let Some(steps) = self.without_progress(&earlier) {
            return Err(of_machine(format!(
                "two jobs in a row were stopped with {steps} steps done, and none was added: give a longer --time, so \
                 that the longest step ends in it"
            )));
        }
        let rounds = self.rounds(cancel.clone());
        tokio::pin!(rounds);
        let carried = tokio::select! {
            carried = &mut rounds => carried,
            // Whoever lost the cell stops in order.
            () = until_lost(claim, &cancel) => rounds.await,
        };
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
            let shared = Arc::new(ProcessShared::with_caps(self.caps).with_locks(self.work.bench.locks()));
            let planned = self.planned(&shared, retry).await?;
            let is_over = planned.run.before.as_ref().is_some_and(|before| before.finished);
            if !is_over {
                let checked = check_node(self.work.program, &planned.run.request, &self.work.bench.out).await;
                checked.map_err(|unfit| of_machine(unfit.to_string()))?;
            }
            let choice = ManyRuns {
                parallel: 1,
                quiet: self.work.args.quiet,
                events: None,
            };
            let (runs, judging) = (vec![planned.run], [planned.judging]);
            let mut rows = carry_until(
                self.work.program,
                self.work.printer,
                runs,
                shared.clone(),
                choice,
                cancel.clone(),
            )
            .await?;
            let judges = CellJudges {
                program: self.work.program,
                printer: self.work.printer,
                shared: &shared,
                parallel: 1,
                quiet: self.work.args.quiet,
            };
            judges.judge(&judging, &mut rows, &cancel).await?;
            let row = rows
                .into_iter()
                .next()
                .ok_or_else(|| of_machine("the run left no trace"))?;
            let is_of_machine = row.code() == Status::Infrastructure.code();
            if !is_of_machine || cancel.is_cancelled() || round == self.work.args.infrastructure_repeats {
                return Ok(row);
            }
            round += 1;
            retry.infrastructure = true;
        }
    }

    /// The cell, planned here. It was planned before, so that a failure is this machine's.
    async fn planned(&self, shared: &ProcessShared, retry: Retry) -> Result<PlannedCell, Failure> {
        let (file, root) = (&self.work.bench.file, self.work.bench.root());
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
        let mut planner = Planner::new(self.work.program, shared, &self.work.bench.out, retry)
            .at_the_least(self.work.args.attempt);
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
                .filter(|note| note.submission == self.work.args.submission)?;
            let end = note.end.as_ref()?;
            (end.exit_code == Status::Interrupted.code()).then_some(end.steps)
        };
        let [.., before, last] = earlier else { return None };
        self.work.args.submission?;
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
