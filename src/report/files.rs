//! The data that the analysis opened, against the data that the plan names.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::domain::workspace_path::WorkspacePath;

use super::executions::{CommandEnding, ExecutionView};

/// A data file that the plan names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedFile {
    /// As the plan writes it.
    pub name: String,
    /// The opened files that it stands for; empty when none was opened.
    pub opened: Vec<WorkspacePath>,
}

/// Planned and opened files.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenedFiles {
    pub planned: Vec<PlannedFile>,
    /// Opened files of the data folder that the plan does not name.
    pub unplanned: Vec<WorkspacePath>,
    /// Opened files outside the data folder.
    pub others: Vec<WorkspacePath>,
    /// Finished executions behind the record.
    pub executions: u64,
    /// True if every one of them has a record without gaps.
    pub complete: bool,
}

impl OpenedFiles {
    pub fn new(planned: &[String], executions: &[ExecutionView]) -> Self {
        let finished: Vec<_> = executions
            .iter()
            .filter(|execution| execution.became == CommandEnding::Finished)
            .collect();
        let opened: BTreeSet<&WorkspacePath> = finished
            .iter()
            .flat_map(|execution| &execution.opened.files)
            .collect();
        let (data, others): (Vec<&WorkspacePath>, Vec<&WorkspacePath>) = opened
            .into_iter()
            .partition(|path| path.starts_with(WorkspacePath::DATA));
        Self {
            planned: planned
                .iter()
                .map(|name| PlannedFile {
                    name: name.clone(),
                    opened: data
                        .iter()
                        .filter(|path| path.is_named_by(name))
                        .map(|path| (*path).clone())
                        .collect(),
                })
                .collect(),
            unplanned: data
                .iter()
                .filter(|path| !planned.iter().any(|name| path.is_named_by(name)))
                .map(|path| (*path).clone())
                .collect(),
            others: others.into_iter().cloned().collect(),
            executions: finished.len() as u64,
            complete: !finished.is_empty() && finished.iter().all(|execution| execution.opened.complete),
        }
    }
}
