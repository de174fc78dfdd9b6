//! The rows and columns of the tables that an analysis opened.

use std::fs;
use std::path::Path;

use crate::documents::helper::Helper;
use crate::documents::limits::Limits;
use crate::documents::table::column::{Column, Table, Values};
use crate::domain::data_table::DataTable;
use crate::domain::workspace_path::WorkspacePath;
use crate::verdict::plan_words::PlanWords;

/// The largest file that is counted, in bytes.
const LARGEST: u64 = 128 << 20;

/// The tables that can be read.
pub fn read(opened: &[WorkspacePath], workspace: &Path, documents: &Helper) -> Vec<(WorkspacePath, Table)> {
    let read = |path: &WorkspacePath| {
        let on_disk = path.below(workspace);
        let size = fs::metadata(&on_disk).ok()?.len();
        let bytes = (size <= LARGEST).then(|| fs::read(&on_disk).ok()).flatten()?;
        let mut document = documents
            .read(path.file_name(), &bytes, &Limits::default())
            .ok()?;
        // Of several sheets or frames nobody knows which one was analysed.
        let table = document.tables.pop().filter(|_| document.tables.is_empty())?;
        Some((path.clone(), table))
    };
    opened.iter().filter_map(read).collect()
}

/// Their sizes, each with its complete rows: those that lack no value in the columns
/// that the plan's lists begin with.
pub fn sizes(tables: &[(WorkspacePath, Table)], plan: &PlanWords) -> Vec<DataTable> {
    tables
        .iter()
        .map(|(path, table)| counted(path, table, plan))
        .collect()
}

fn counted(path: &WorkspacePath, table: &Table, plan: &PlanWords) -> DataTable {
    let mut found = DataTable {
        path: path.to_string(),
        rows: table.rows as u64,
        columns: table.columns.iter().map(|column| column.name.clone()).collect(),
        complete: None,
    };
    let known = PlanWords {
        tables: vec![found.clone()],
        ..plan.clone()
    };
    let mut named: Vec<&str> = [&plan.outcome, &plan.predictors, &plan.controls]
        .into_iter()
        .flat_map(|list| known.leading(list))
        .collect();
    named.sort_unstable();
    named.dedup();
    let columns: Vec<&Column> = named.iter().filter_map(|name| table.column(name)).collect();
    if columns.len() > 1 {
        let has = |row: usize| columns.iter().all(|column| !is_missing(column, row));
        found.complete = Some((0..table.rows).filter(|row| has(*row)).count() as u64);
    }
    found
}

fn is_missing(column: &Column, row: usize) -> bool {
    match &column.values {
        Values::Numbers(numbers) => numbers.get(row).is_none_or(|number| number.is_nan()),
        Values::Strings(texts) => texts.get(row).is_none_or(is_missing_text),
    }
}

/// Whether a cell of a text column has no value.
pub fn is_missing_text(text: &str) -> bool {
    matches!(text.trim(), "" | "NA" | "." | "NaN")
}
