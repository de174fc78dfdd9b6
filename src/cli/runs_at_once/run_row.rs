//! A run of several, and what it came to.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::analysis::bench::details::CellDetails;
use crate::cli::exit::Status;
use crate::cli::judged_run::{JudgedRun, RunJudge};
use crate::domain::grade::Grade;
use crate::domain::usage::{MicroDollars, Usage};
use crate::domain::verdict::Outcome;
use crate::engine::run_reader::RunReader;
use crate::grading::discovery::run_outcome::{SaidVerdict, is_prediction};
use crate::grading::prediction::prediction;
use crate::report::bench::details::details;
use crate::report::money;
use crate::run::decide;
use crate::run::elapsed::Clocks;

/// The result of one run.
#[derive(Debug)]
pub struct RunRow {
    pub study: String,
    pub folder: PathBuf,
    pub status: &'static str,
    pub exit_code: u8,
    /// True if it had been finished before this process.
    pub passed_over: bool,
    pub verdict: Option<Outcome>,
    /// From 0 to 1, by the grader of another track than replication.
    pub score: Option<f64>,
    /// The cause that stopped or failed it.
    pub detail: Option<String>,
    pub usage: Usage,
    pub money: Option<MicroDollars>,
    pub clocks: Clocks,
    /// The verdict that was said from a claim alone, in words.
    pub predicted: Option<String>,
    pub said: Option<SaidVerdict>,
    pub details: CellDetails,
    /// What its judge said, where it has one and is over.
    pub judged: Option<JudgedRun>,
    /// Why its judge has not said all: a cap, a failure or a stop.
    pub unjudged: Option<Status>,
}

/// The part of a row that follows from the run's folder alone.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct RunResult {
    verdict: Option<Outcome>,
    score: Option<f64>,
    detail: Option<String>,
    usage: Usage,
    money: Option<MicroDollars>,
    clocks: Clocks,
    predicted: Option<String>,
    said: Option<SaidVerdict>,
    details: CellDetails,
}

impl RunResult {
    /// The result of a run that could be read.
    pub fn of(run: &RunReader) -> Self {
        let state = &run.state;
        Self {
            verdict: state.verdict.as_ref().map(|verdict| verdict.outcome),
            score: state.grade.as_ref().and_then(Grade::mean),
            detail: decide::failed_stage(state)
                .map(|failed| format!("{} ({}): {}", failed.stage, failed.cause, failed.detail)),
            usage: state.usage(),
            money: money::money(run, state.stages.values()),
            clocks: state.elapsed.clocks(),
            predicted: predicted(run),
            said: SaidVerdict::from_run(run),
            details: details(run),
        }
    }
}

impl RunRow {
    /// The row of a run that could be read.
    pub fn new(study: String, folder: PathBuf, run: RunResult, status: Status, passed_over: bool) -> Self {
        let RunResult {
            verdict,
            score,
            detail,
            usage,
            money,
            clocks,
            predicted,
            said,
            details,
        } = run;
        Self {
            study,
            folder,
            status: status.meaning(),
            exit_code: status.code(),
            passed_over,
            verdict,
            score,
            detail,
            usage,
            money,
            clocks,
            predicted,
            said,
            details,
            judged: None,
            unjudged: None,
        }
    }

    /// The exit code of the run, or of its judging where that is not over.
    pub fn code(&self) -> u8 {
        self.unjudged.map_or(self.exit_code, Status::code)
    }

    /// The cause that stopped or failed it, or that its judge has not said all.
    pub fn detail_with_judge(&self) -> Option<String> {
        let lacks = self.judged.as_ref().and_then(|judged| judged.lacks.clone());
        let lacks = lacks.filter(|_| self.unjudged.is_some());
        lacks.or_else(|| self.detail.clone())
    }

    /// The money of the run and of its judge; `None` where either is not known.
    pub fn money_with_judge(&self, judge: Option<&RunJudge>) -> Option<MicroDollars> {
        match self.judged.as_ref().zip(judge) {
            None => self.money,
            Some((run, judge)) => Some(MicroDollars(self.money?.0.saturating_add(run.cost(judge)?.0))),
        }
    }

    /// The row of a run that did not get far enough to be read.
    pub fn unfinished(study: String, folder: PathBuf, status: Status, detail: Option<String>) -> Self {
        let result = RunResult {
            detail,
            ..RunResult::default()
        };
        Self::new(study, folder, result, status, false)
    }
}

fn predicted(run: &RunReader) -> Option<String> {
    if !is_prediction(run) {
        return None;
    }
    let said = prediction(&run.state, &run.store).ok().flatten()?;
    Some(format!(
        "{} predicted, with confidence {}",
        said.verdict.word(),
        said.confidence
    ))
}

/// The status of several runs as a whole: the one that most needs somebody to act.
pub fn gravest(rows: &[RunRow]) -> Status {
    const GRAVITY: [Status; 8] = [
        Status::Interrupted,
        Status::Infrastructure,
        Status::Usage,
        Status::Limit,
        Status::AwaitingApproval,
        Status::StudyInvalid,
        Status::StageFailed,
        Status::Differs,
    ];
    GRAVITY
        .into_iter()
        .find(|status| rows.iter().any(|row| row.code() == status.code()))
        .unwrap_or(Status::Done)
}
