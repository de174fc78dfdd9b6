//! The cells of a line of Stata's tables, behind the bar.

use super::alignment::{self, ColumnSpan};
use super::header::{self, HeaderColumn};
use super::source_line::{SourceLine, Token, tokens};

/// The parts of a line to the left and right of its first bar.
pub fn split_at_bar(text: &str) -> Option<(&str, &str)> {
    text.split_once('|')
}

/// The display columns of each number, by the rows that have all of them.
pub fn spans(columns: &[HeaderColumn], lines: &[SourceLine], from: usize, end: usize) -> Vec<ColumnSpan> {
    let labelled = header::value_spans(columns);
    let rows: Vec<Vec<Token>> = lines[from..end]
        .iter()
        .take(200)
        .filter_map(|line| Some(cells(split_at_bar(&line.text)?.1)))
        .filter(|cells| cells.len() == labelled.len())
        .collect();
    alignment::covered(&labelled, &rows)
}

/// The tokens of the numbers of a row, with its bar cut off.
pub fn cells(right: &str) -> Vec<Token> {
    alignment::join_relations(tokens(right))
}
