//! A notebook task.

use serde::Serialize;

use super::category::Category;
use super::gold::NotebookGold;
use super::pre_cell::PreCell;
use super::task_fault::NotebookTaskFault;
use super::task_set::TaskSet;

/// The parts that a query was put together from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct QueryParts {
    pub e2e_task: Option<String>,
    pub scenario_task: Option<String>,
    pub report: Option<String>,
    pub instructions: Option<String>,
}

/// A task: a repository, what is asked about it, and the gold.
#[derive(Debug, Clone)]
pub struct NotebookTask {
    pub id: String,
    pub set: TaskSet,
    /// Of Masked tasks alone.
    pub category: Option<Category>,
    pub repository: Option<String>,
    /// The published runner uses it nowhere, and it may not be the code that was run.
    pub commit: Option<String>,
    /// The whole text that an agent is given.
    pub query: String,
    pub parts: QueryParts,
    pub pre_cells: Vec<PreCell>,
    pub gold: NotebookGold,
    /// Faults that the record alone shows; those of the gold are found by whoever grades.
    pub faults: Vec<NotebookTaskFault>,
}
