//! A program's output read from top to bottom.

use super::aligned::{self, ReadRows};
use super::context::Context;
use super::printed_row::PrintedRow;
use super::source_line::{SourceLine, source_lines};
use super::{correlations, grid_table, labelled, models_table, python_result, r_test, stata, stata_test};

/// The most rows that one output yields.
pub const MOST_ROWS: usize = 20_000;

/// Every row of results that `stdout` prints, in order.
///
/// Each number is under the name of its own row and the label of its own column;
/// a cell whose label is not known is not used.
pub fn rows(stdout: &str) -> Vec<PrintedRow> {
    let lines = source_lines(stdout);
    let mut context = Context::default();
    let mut found: Vec<PrintedRow> = Vec::new();
    // The rows of the last table, which lines below it may complete.
    let mut last_table = 0..0;
    let mut at = 0;
    while at < lines.len() && found.len() < MOST_ROWS {
        if !lines[at].is_rule() {
            context.open();
        }
        let table = table_at(&lines, at, &context);
        let empty_end = table
            .as_ref()
            .filter(|table| table.rows.is_empty())
            .map(|table| table.next);
        if let Some(table) = table.filter(|table| !table.rows.is_empty()) {
            context.close();
            last_table = found.len()..found.len() + table.rows.len();
            found.extend(table.rows);
            at = table.next.max(at + 1);
            continue;
        }
        let labelled = if empty_end.is_some() {
            None
        } else {
            labelled::read_block(&lines, at)
        };
        let next = labelled
            .as_ref()
            .map(|block| block.next)
            .or(empty_end)
            .unwrap_or(at)
            .max(at + 1);
        for line in &lines[at..next.min(lines.len())] {
            if let Some(rows) = found.get_mut(last_table.clone()) {
                Context::complete(&line.text, rows);
            }
            context.note(&line.text);
        }
        found.extend(labelled.map(|block| block.rows).unwrap_or_default());
        at = next;
    }
    found.truncate(MOST_ROWS);
    found
}

fn table_at(lines: &[SourceLine], at: usize, context: &Context) -> Option<ReadRows> {
    if lines.get(at)?.is_blank() {
        return None;
    }
    stata::read(lines, at, context)
        .or_else(|| correlations::read_pwcorr(lines, at, context))
        .or_else(|| stata_test::read_joint(lines, at, context))
        .or_else(|| r_test::read(lines, at, context))
        .or_else(|| python_result::read(lines, at))
        .or_else(|| models_table::read(lines, at))
        .or_else(|| grid_table::read(lines, at, context))
        .or_else(|| aligned::read(lines, at, context))
}
