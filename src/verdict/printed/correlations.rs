//! Matrices of correlations with their p-values: SPSS, PSPP and Stata's `pwcorr`.

use std::collections::HashSet;

use super::aligned::ReadRows;
use super::alignment;
use super::context::Context;
use super::grid::{self, GridHeader, GridLine};
use super::label::Meaning;
use super::meaning::classify;
use super::number::{self, NumberCell};
use super::printed_row::PrintedRow;
use super::source_line::{SourceLine, Token, tokens};
use super::stata::{is_crossed_rule, table_end};
use super::stata_cells::split_at_bar;
use crate::domain::scale::Scale;

/// The most variables of a matrix.
const MOST_COLUMNS: usize = 200;

/// One variable's row of a matrix: what was printed below each other variable.
struct MatrixRow {
    name: String,
    cells: Vec<MatrixCell>,
}

#[derive(Clone, Default)]
struct MatrixCell {
    correlation: Option<NumberCell>,
    p: Option<NumberCell>,
    n: Option<u64>,
    lines: Vec<usize>,
}

/// Each pair once, where it is first printed.
fn rows_of(matrix: &[MatrixRow], columns: &[String], sides: Option<u8>) -> Vec<PrintedRow> {
    let mut rows = Vec::new();
    let mut seen: HashSet<(&str, &str)> = HashSet::new();
    for row in matrix {
        for (name, cell) in columns.iter().zip(&row.cells) {
            if name.is_empty() || *name == row.name || seen.contains(&(name.as_str(), row.name.as_str())) {
                continue;
            }
            let Some(estimate) = cell.correlation.as_ref().and_then(NumberCell::exact) else {
                continue;
            };
            seen.insert((&row.name, name));
            rows.push(PrintedRow {
                term: format!("{} and {name}", row.name),
                estimate: Some(estimate),
                scale: Some(Scale::Correlation),
                p: cell.p.as_ref().and_then(|p| p.p_value(sides)),
                n: cell.n,
                line: cell.lines.first().copied().unwrap_or(0),
                lines: cell.lines.clone(),
                ..PrintedRow::default()
            });
        }
    }
    rows
}

/// Whether the first row of a grid's body is headed 'Pearson Correlation'.
pub fn heads_grid(lines: &[SourceLine], header: &GridHeader) -> bool {
    lines
        .get(header.first_row)
        .is_some_and(|line| is_correlation(&line.text))
}

/// The pairs of a grid whose rows are headed 'Pearson Correlation', 'Sig.' and 'N'.
pub fn from_grid(header: &GridHeader, body: &[GridLine]) -> Vec<PrintedRow> {
    let Some(quantity) = body
        .first()
        .and_then(|line| line.cells.iter().position(|cell| is_correlation(&cell.text)))
    else {
        return Vec::new();
    };
    let names: Vec<String> = header
        .columns
        .iter()
        .skip(quantity + 1)
        .take(MOST_COLUMNS)
        .map(|levels| {
            levels
                .iter()
                .rev()
                .find(|text| !text.is_empty())
                .cloned()
                .unwrap_or_default()
        })
        .collect();
    let mut matrix: Vec<MatrixRow> = Vec::new();
    let mut sides = None;
    for line in body {
        let Some(label) = line.cells.get(quantity).map(|cell| cell.text.as_str()) else {
            continue;
        };
        let values = line.cells.get(quantity + 1..).unwrap_or_default();
        if is_correlation(label) {
            let name = variable(
                line.cells
                    .get(..quantity)
                    .unwrap_or_default()
                    .iter()
                    .map(|cell| cell.text.as_str()),
                label,
            );
            matrix.push(MatrixRow {
                name,
                cells: vec![MatrixCell::default(); names.len()],
            });
        }
        let Some(row) = matrix.last_mut() else { continue };
        let meaning = classify(label).meaning;
        for (cell, value) in row.cells.iter_mut().zip(values) {
            let Some(number) = grid::value(&value.text) else {
                continue;
            };
            match meaning {
                _ if is_correlation(label) => cell.correlation = Some(number),
                Meaning::P(count) => {
                    sides = sides.or(count);
                    cell.p = Some(number);
                }
                Meaning::Count => cell.n = number.count(),
                _ => continue,
            }
            cell.lines.push(line.number);
        }
    }
    rows_of(&matrix, &names, sides)
}

fn is_correlation(text: &str) -> bool {
    ["Pearson Correlation", "Correlation Coefficient", "Pearson's r"]
        .iter()
        .any(|name| text.contains(name))
}

/// The variable's name: a cell of its own, or in front of 'Pearson Correlation'.
fn variable<'a>(before: impl Iterator<Item = &'a str>, label: &str) -> String {
    let own: Vec<&str> = before.filter(|text| !text.is_empty()).collect();
    match own.last() {
        Some(name) => (*name).to_owned(),
        None => ["Pearson Correlation", "Correlation Coefficient", "Pearson's r"]
            .iter()
            .find_map(|kind| label.split_once(kind))
            .map_or_else(String::new, |(name, _)| name.trim().to_owned()),
    }
}

/// Reads `pwcorr`: a header of variables, then for each variable its correlations,
/// p-values and, with `obs`, counts.
pub fn read_pwcorr(lines: &[SourceLine], at: usize, context: &Context) -> Option<ReadRows> {
    let (left, right) = split_at_bar(&lines.get(at)?.text)?;
    if !left.trim().is_empty() || !lines.get(at + 1).is_some_and(is_crossed_rule) {
        return None;
    }
    let heads = tokens(right);
    let names: Vec<String> = heads
        .iter()
        .take(MOST_COLUMNS)
        .map(|head| head.text.clone())
        .collect();
    let has_text = heads.iter().all(|head| number::parse(&head.text).is_none());
    if heads.is_empty() || heads.len() > MOST_COLUMNS || !has_text {
        return None;
    }
    let end = table_end(lines, at + 2);
    let mut matrix: Vec<MatrixRow> = Vec::new();
    let mut below = 0;
    let has_counts = context
        .model
        .as_deref()
        .is_some_and(|command| command.contains("obs"));
    let has_p = context
        .model
        .as_deref()
        .is_none_or(|command| command.contains("sig"));
    for line in &lines[at + 2..end] {
        let Some((left, right)) = split_at_bar(&line.text) else {
            continue;
        };
        let name = left.trim();
        if !name.is_empty() {
            matrix.push(MatrixRow {
                name: name.to_owned(),
                cells: vec![MatrixCell::default(); names.len()],
            });
            below = 0;
        } else {
            below += 1;
        }
        let Some(row) = matrix.last_mut() else { continue };
        for word in tokens(right) {
            let (Some(column), Some(number)) = (under(&heads, &word), number::parse(&word.text)) else {
                continue;
            };
            let Some(cell) = row.cells.get_mut(column) else {
                continue;
            };
            match below {
                0 if number.printed.value.abs() <= 1.0 => cell.correlation = Some(number),
                1 if has_p => cell.p = Some(number),
                1 | 2 if has_counts => cell.n = number.count(),
                _ => continue,
            }
            cell.lines.push(line.number);
        }
    }
    let mut rows = rows_of(&matrix, &names, Some(2));
    for row in &mut rows {
        row.model.clone_from(&context.model);
    }
    Some(ReadRows { rows, next: end })
}

fn under(heads: &[Token], word: &Token) -> Option<usize> {
    if !alignment::is_value(&word.text) {
        return None;
    }
    // The header stands flush right with the numbers, stars aside.
    heads
        .iter()
        .position(|head| head.end.abs_diff(word.end) <= 2 || head.end + 1 == word.end)
}
