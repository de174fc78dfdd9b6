//! `reprise notebook list`.

use serde::Serialize;

use crate::cli::exit::{Failure, Status};
use crate::cli::output::{Printer, one_line, paint, styled};
use crate::cli::text_table::TextTable;
use crate::domain::excerpt;
use crate::domain::format;
use crate::notebook::category::Category;
use crate::notebook::pre_cell::PreCellKind;
use crate::notebook::task::{NotebookTask, QueryParts};
use crate::notebook::task_set::TaskSet;

use super::args::ListArgs;
use super::opened::opened;

/// A task without its gold.
#[derive(Debug, Serialize)]
struct ListedTask<'a> {
    file: String,
    id: &'a str,
    set: TaskSet,
    category: Option<Category>,
    repository: Option<&'a str>,
    commit: Option<&'a str>,
    query: &'a str,
    query_components: &'a QueryParts,
    /// Cells that are executed before the agent's turn.
    pre_cells: usize,
    /// Those among them that edit a file.
    edits: usize,
    has_answer: bool,
    landmarks: usize,
    has_entry_point: bool,
    has_solution: bool,
}

impl<'a> ListedTask<'a> {
    fn new(file: String, task: &'a NotebookTask) -> Self {
        let edits = task
            .pre_cells
            .iter()
            .filter(|cell| cell.kind == PreCellKind::Edit);
        Self {
            file,
            id: &task.id,
            set: task.set,
            category: task.category,
            repository: task.repository.as_deref(),
            commit: task.commit.as_deref(),
            query: &task.query,
            query_components: &task.parts,
            pre_cells: task.pre_cells.len(),
            edits: edits.count(),
            has_answer: task.gold.answer.is_some(),
            landmarks: task.gold.landmarks.len(),
            has_entry_point: task.gold.entry_point.is_some(),
            has_solution: task.gold.solution.is_some(),
        }
    }
}

/// Lists the tasks of files.
///
/// # Errors
/// A file that is no task file.
pub fn list(printer: Printer, args: &ListArgs) -> Result<Status, Failure> {
    let files = opened(&args.files)?;
    let tasks: Vec<ListedTask<'_>> = (files.iter())
        .flat_map(|one| {
            one.file
                .tasks
                .iter()
                .map(|task| ListedTask::new(one.path.display().to_string(), task))
        })
        .collect();
    if args.json {
        printer.json(&serde_json::json!({ "format": "reprise-notebook-list/1", "tasks": tasks }))?;
        return Ok(Status::Done);
    }
    let mut table = TextTable::new([
        "task",
        "set",
        "category",
        "repository",
        "cells",
        "answer",
        "landmarks",
        "script",
    ]);
    let mark = |has: bool| if has { "yes" } else { "" }.to_owned();
    for task in &tasks {
        table.row([
            one_line(task.id),
            task.set.to_string(),
            task.category
                .map_or_else(String::new, |category| category.to_string()),
            excerpt::shortened(
                &one_line(task.repository.unwrap_or_default().trim_start_matches("https://")),
                60,
            ),
            task.pre_cells.to_string(),
            mark(task.has_answer),
            task.landmarks.to_string(),
            mark(task.has_entry_point),
        ]);
    }
    for (number, line) in table.with_text_columns(4).lines().into_iter().enumerate() {
        match number {
            0 => printer.line(styled(paint::STRONG, line)),
            _ => printer.line(line),
        }
    }
    for one in &files {
        printer.line(format!(
            "{}: {}, {}",
            one_line(&one.path.display().to_string()),
            format::counted(one.file.tasks.len(), "task", "tasks"),
            one.file.layout.words()
        ));
    }
    Ok(Status::Done)
}
