//! The plan of a bench: its cells, and what the runs of cells come to.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::analysis::bench::cell::{BenchCell, CellResult, TaskKind};
use crate::analysis::bench::judged_cell::JudgedCell;
use crate::cli::exit::Status;
use crate::cli::judged_run::{JudgedRun, RunJudge};
use crate::cli::runs_at_once::run_row::RunRow;
use crate::domain::digest::Digest;
use crate::domain::verdict::Outcome;
use crate::grading::discovery::outcome_labels::StudyLabels;
use crate::policy::limits::Caps;
use crate::policy::scope::Scope;

/// The cells of a bench file, as they were last planned.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BenchPlan {
    pub name: String,
    pub version: String,
    pub cells: Vec<CellPlan>,
    /// The caps on all cells that parts of cells were divided of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub divided: Option<Digest>,
}

/// A cell of the plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CellPlan {
    pub cell: String,
    pub kind: TaskKind,
    pub task: String,
    /// Marks of the study that the task is of; absent in plans of versions that did not write them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub study: Vec<String>,
    pub agent: String,
    pub arm: BTreeMap<String, String>,
    pub repeat: u32,
    /// Counted from 1.
    #[serde(default = "first")]
    pub attempt: u32,
    /// Relative to the bench's folder.
    pub folder: PathBuf,
    /// What was asked for besides, as options of a run.
    pub options: Vec<String>,
    /// Whoever marks its run once that is over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<RunJudge>,
    /// Short digests of what the id is made of, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub parts: BTreeMap<String, String>,
    /// Its part of the caps on all cells, as it was handed out: caps on what it may come to, all its attempts together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allotted: Option<Caps>,
}

fn first() -> u32 {
    1
}

/// What a cell is told by.
pub fn cell_name(task: &str, agent: &str, arm: &BTreeMap<String, String>, repeat: u32) -> String {
    let repeat = format!("r{repeat}");
    let mut parts = vec![task, agent];
    parts.extend(arm.values().map(String::as_str));
    parts.push(&repeat);
    parts.join(" ")
}

/// The folder of an attempt, counted from 1, where `base` is that of the first.
pub fn attempt_folder(base: &str, attempt: u32) -> PathBuf {
    match attempt {
        1 => PathBuf::from(base),
        later => PathBuf::from(format!("{base}.{later}")),
    }
}

impl BenchPlan {
    /// With the parts that an earlier plan handed out to the same cells.
    pub fn with_parts_of(mut self, before: Option<Self>) -> Self {
        let before = before.into_iter().flat_map(|plan| plan.cells);
        let mut parts: BTreeMap<String, Caps> = before
            .filter_map(|cell| Some((cell.cell, cell.allotted?)))
            .collect();
        for cell in &mut self.cells {
            cell.allotted = parts.remove(&cell.cell);
        }
        self
    }
}

impl CellPlan {
    /// What it is told by.
    pub fn name(&self) -> String {
        cell_name(&self.task, &self.agent, &self.arm, self.repeat)
    }

    /// The folder of its first attempt, relative to the bench's.
    fn base(&self) -> String {
        let base = self.folder.to_string_lossy().into_owned();
        match self.attempt {
            1 => base,
            attempt => base
                .strip_suffix(&format!(".{attempt}"))
                .unwrap_or(&base)
                .to_owned(),
        }
    }

    /// Its last attempt on disk, below the folder of the bench; as planned where there is none.
    pub fn last_attempt(mut self, out: &Path) -> Self {
        let base = self.base();
        loop {
            let next = attempt_folder(&base, self.attempt.saturating_add(1));
            if !out.join(&next).join("run.json").exists() {
                return self;
            }
            self.attempt = self.attempt.saturating_add(1);
            self.folder = next;
        }
    }

    /// The plan of a cell whose run is known.
    pub fn of_cell(cell: &BenchCell) -> Self {
        Self {
            cell: cell.cell.clone(),
            kind: cell.kind,
            task: cell.task.clone(),
            study: cell.study.clone(),
            agent: cell.agent.clone(),
            arm: cell.arm.clone(),
            repeat: cell.repeat,
            attempt: cell.attempt,
            folder: cell.folder.clone(),
            options: Vec::new(),
            judge: None,
            parts: BTreeMap::new(),
            allotted: None,
        }
    }

    /// The cell with what came of its run.
    pub fn with(self, row: &RunRow, labels: &mut StudyLabels) -> BenchCell {
        let result = Self::result(row);
        let judged = row.judged.as_ref().zip(self.judge.as_ref());
        let judged = judged.map(|(run, judge)| judged_cell(run, judge));
        BenchCell {
            cell: self.cell,
            kind: self.kind,
            task: self.task,
            study: self.study,
            gone: false,
            agent: self.agent,
            arm: self.arm,
            repeat: self.repeat,
            attempt: self.attempt,
            folder: self.folder,
            words: Self::words(row, result),
            result,
            // Of a prediction it says no more than `labelled`.
            score: row.score.filter(|_| row.predicted.is_none()),
            tokens: row.usage.total() + judged.as_ref().map_or(0, |judged| judged.tokens),
            cost: row.money_with_judge(self.judge.as_ref()),
            labelled: row.said.as_ref().and_then(|said| labels.beside(said)),
            judged,
            seconds: (row.clocks.wall_ms > 0).then(|| row.clocks.working_ms as f64 / 1e3),
            details: row.details.clone(),
        }
    }

    /// How a run counts.
    pub fn result(row: &RunRow) -> CellResult {
        result(row)
    }

    /// A result in words.
    pub fn words(row: &RunRow, result: CellResult) -> String {
        words(row, result)
    }
}

fn judged_cell(run: &JudgedRun, judge: &RunJudge) -> JudgedCell {
    JudgedCell {
        judge: judge.name.clone(),
        stages: run.stages.clone(),
        tokens: run.spent.tokens,
        cost: run.cost(judge),
        lacks: run.lacks.clone(),
    }
}

/// How a run counts.
fn result(row: &RunRow) -> CellResult {
    let is = |status: Status| row.exit_code == status.code();
    // A cap on all cells together is no agent's doing.
    let is_of_all = || {
        let all = Scope::Batch.to_string();
        row.detail.as_ref().is_some_and(|detail| detail.contains(&all))
    };
    if is(Status::StageFailed) || (is(Status::Limit) && !is_of_all()) {
        return CellResult::Failed;
    }
    if !is(Status::Done) {
        return CellResult::Unscored;
    }
    if row.predicted.is_some() {
        return CellResult::Predicted;
    }
    match (row.score, row.verdict) {
        (Some(score), _) if score >= 1.0 => CellResult::Solved,
        (Some(_), _) => CellResult::NotSolved,
        (None, Some(Outcome::Met)) => CellResult::Met,
        (None, Some(Outcome::Unmet)) => CellResult::Unmet,
        (None, Some(Outcome::Inconclusive | Outcome::NotComparable)) => CellResult::Inconclusive,
        (None, None) => CellResult::Unscored,
    }
}

fn words(row: &RunRow, result: CellResult) -> String {
    if let (CellResult::Predicted, Some(said)) = (result, &row.predicted) {
        return said.clone();
    }
    match (result, row.score, row.verdict, &row.detail) {
        (CellResult::Solved | CellResult::NotSolved, Some(score), _, _) => format!("score {score:.3}"),
        (CellResult::Met | CellResult::Unmet | CellResult::Inconclusive, _, Some(verdict), _) => {
            verdict.to_string()
        }
        (_, _, _, Some(detail)) => detail.clone(),
        _ => row.status.to_owned(),
    }
}
