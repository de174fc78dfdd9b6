//! The data that the analysis opened, against the data that the plan names.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::domain::workspace_path::WorkspacePath;

use super::work::{Became, Execution};

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
    /// Whether every one of them has a record without gaps.
    pub complete: bool,
}

impl OpenedFiles {
    pub fn of(planned: &[String], executions: &[Execution]) -> Self {
        let finished: Vec<_> = executions
            .iter()
            .filter(|execution| execution.became == Became::Finished)
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
                        .filter(|path| names(name, path))
                        .map(|path| (*path).clone())
                        .collect(),
                })
                .collect(),
            unplanned: data
                .iter()
                .filter(|path| !planned.iter().any(|name| names(name, path)))
                .map(|path| (*path).clone())
                .collect(),
            others: others.into_iter().cloned().collect(),
            executions: finished.len() as u64,
            complete: !finished.is_empty() && finished.iter().all(|execution| execution.opened.complete),
        }
    }
}

/// Whether a name in a plan stands for a path: the path itself, with a leading
/// `/workspace/` or `./`, or its last parts.
fn names(name: &str, path: &WorkspacePath) -> bool {
    let name = name.trim().trim_start_matches("./").trim_start_matches('/');
    let name = name.strip_prefix("workspace/").unwrap_or(name);
    !name.is_empty()
        && path
            .as_str()
            .strip_suffix(name)
            .is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_may_name_a_file_by_its_last_parts() {
        let path: WorkspacePath = "replication_data/wave5/a.csv".parse().unwrap();
        for name in [
            "a.csv",
            "wave5/a.csv",
            "/workspace/replication_data/wave5/a.csv",
            "./wave5/a.csv",
        ] {
            assert!(names(name, &path), "{name}");
        }
        for name in ["", "5/a.csv", "b.csv", "csv"] {
            assert!(!names(name, &path), "{name}");
        }
    }
}
