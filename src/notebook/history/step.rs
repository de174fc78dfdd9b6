//! A step of an attempt, and what became of it.

use serde::{Deserialize, Serialize};

/// The one who asked for a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepBy {
    /// The task, before the agent's turn.
    Task,
    Agent,
}

/// The content of an action.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepContent {
    /// A cell, an edit, a command.
    Text(String),
    /// A submission: a value, as JSON in the dialect of Python's (`NaN` is a value).
    Json(String),
}

/// The standing of a cell when its step was over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CellOutcome {
    Done,
    /// It raised.
    Failed,
    /// The wait was over before the cell was.
    Running,
    Interrupted,
    /// The kernel died under it.
    Lost,
}

/// A step: an action, and what was seen of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NotebookStep {
    pub by: StepBy,
    /// The action's type, such as `execute`; absent where the history names none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<StepContent>,
    pub observation: String,
    /// The seconds from its begin to its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<CellOutcome>,
    /// The status of the last `!` command of the cell, where it had one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i64>,
    /// The file that was open in a window, of a command on files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}

/// The file that a history was read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HistorySource {
    /// A history of ours: whole observations, with times and outcomes.
    Own,
    /// `history.json` of the published runner: cleaned observations, no times.
    ReleasedJson,
    /// `history.ipynb` of the published trajectories: whole seconds, no outcomes.
    ReleasedNotebook,
}

/// The steps of an attempt, in order.
#[derive(Debug, Clone, PartialEq)]
pub struct NotebookHistory {
    pub source: HistorySource,
    /// The task's name, where the file has it.
    pub task: Option<String>,
    pub steps: Vec<NotebookStep>,
}
