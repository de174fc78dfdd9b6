//! One cell of a bench: a task, an agent, settings and a repeat, and what came of it.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::details::CellDetails;
use super::judged_cell::JudgedCell;
use crate::domain::usage::MicroDollars;
use crate::scoring::outcome::LabelledVerdict;

/// A cell and its result: one line of `cells.jsonl`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BenchCell {
    /// The digest of everything that it is a run of.
    pub cell: String,
    pub kind: TaskKind,
    pub task: String,
    /// Marks of the study that the task is of, such as the DOI of its paper: tasks that share one are of one study.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub study: Vec<String>,
    pub agent: String,
    /// What distinguishes it from other cells of its task and agent.
    pub arm: BTreeMap<String, String>,
    /// Counted from 1.
    pub repeat: u32,
    /// Counted from 1: above that, earlier ones failed, and it was run again.
    #[serde(default = "first")]
    pub attempt: u32,
    /// Its run, relative to the bench's folder.
    pub folder: PathBuf,
    pub result: CellResult,
    /// The result in words: a verdict, a score, or the cause of an early end.
    pub words: String,
    /// From 0 to 1, where the task's track has a grader.
    pub score: Option<f64>,
    /// Those of its judge included.
    pub tokens: u64,
    /// The same; absent where it is not known. So is the time.
    pub cost: Option<MicroDollars>,
    pub seconds: Option<f64>,
    /// True where its run is no longer in its folder: it counts nowhere.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub gone: bool,
    /// The label of a study, and whether the cell said the same; absent where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub labelled: Option<LabelledVerdict>,
    /// The marks of its judge; absent where it has none, or was not judged yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judged: Option<JudgedCell>,
    #[serde(default)]
    pub details: CellDetails,
}

impl BenchCell {
    /// Why marks of its judge lack, where some do.
    pub fn lacks_marks(&self) -> Option<&str> {
        self.judged.as_ref()?.lacks.as_deref()
    }
}

fn first() -> u32 {
    1
}

/// The kind of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TaskKind {
    /// The claim of a study.
    Study,
    Capsule,
    Notebook,
}

impl TaskKind {
    pub const ALL: [Self; 3] = [Self::Study, Self::Capsule, Self::Notebook];

    /// The word as it is written in files.
    pub fn word(self) -> &'static str {
        match self {
            Self::Study => "study",
            Self::Capsule => "capsule",
            Self::Notebook => "notebook",
        }
    }

    /// The tasks in a word.
    pub fn plural(self) -> &'static str {
        match self {
            Self::Study => "studies",
            Self::Capsule => "capsules",
            Self::Notebook => "notebook tasks",
        }
    }

    /// What a cell is run for.
    pub fn goal(self) -> &'static str {
        match self {
            Self::Study => "verdicts that decide",
            Self::Capsule => "every answer right",
            Self::Notebook => "answer and landmarks whole",
        }
    }
}

/// The result of a cell, as it counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CellResult {
    /// The preregistered criterion is met by the new data.
    Met,
    Unmet,
    Inconclusive,
    /// Every answer is right.
    Solved,
    NotSolved,
    /// It was said from a claim alone whether it replicates: held against labels, and nothing else.
    Predicted,
    /// It ended early by the agent's doing, or at a limit.
    Failed,
    /// Nothing is to be counted: it waits, was stopped, or the machine failed.
    Unscored,
}

impl CellResult {
    /// The word as it is written in files.
    pub fn word(self) -> &'static str {
        match self {
            Self::Met => "met",
            Self::Unmet => "unmet",
            Self::Inconclusive => "inconclusive",
            Self::Solved => "solved",
            Self::NotSolved => "not_solved",
            Self::Predicted => "predicted",
            Self::Failed => "failed",
            Self::Unscored => "unscored",
        }
    }

    /// Whether the cell reached what it was run for: a verdict that decides, or every answer
    /// right; `None` where nothing is to be counted.
    pub fn is_success(self) -> Option<bool> {
        match self {
            Self::Met | Self::Unmet | Self::Solved => Some(true),
            Self::Inconclusive | Self::NotSolved | Self::Failed => Some(false),
            Self::Predicted | Self::Unscored => None,
        }
    }
}
