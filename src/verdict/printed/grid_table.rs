//! Rows of results in grids.

use super::aligned::ReadRows;
use super::context::Context;
use super::correlations;
use super::grid::{self, Delimiter, Grid, GridCell, GridLine};
use super::header::resolve_labels;
use super::meaning::{Label, Meaning, classify};
use super::number::{self, NumberCell};
use super::source_line::SourceLine;
use super::table::{Table, TableEntry, split_bounds};

/// Reads the grid that begins at `at`.
pub fn read(lines: &[SourceLine], at: usize, context: &Context) -> Option<ReadRows> {
    let grid = grid::read(lines, at)?;
    let labels = labels(&grid);
    let first_value = labels.iter().position(|label| is_number_label(*label));
    let known = labels.iter().filter(|label| is_number_label(**label)).count();
    let least = if grid.delimiter == Delimiter::Comma { 2 } else { 1 };
    let Some(names) = first_value.filter(|_| known >= least && labels.iter().any(|label| label.is_result()))
    else {
        let rows = correlations::of_grid(&grid);
        return (!rows.is_empty()).then_some(ReadRows {
            rows,
            next: grid.next,
        });
    };
    let entries = entries(&grid, &labels, names);
    let mut context = context.clone();
    context.model = title(lines, at, &grid).or(context.model);
    let rows = Table {
        labels: split_bounds(&labels[names..]),
        entries,
    }
    .rows(&context);
    Some(ReadRows {
        rows,
        next: grid.next,
    })
}

fn is_number_label(label: Label) -> bool {
    !matches!(
        label.meaning,
        Meaning::Unknown | Meaning::Term | Meaning::Outcome | Meaning::Model
    )
}

/// The title of a box stands on the line above it.
fn title(lines: &[SourceLine], at: usize, grid: &Grid) -> Option<String> {
    let above = lines.get(at.checked_sub(1)?)?.text.trim();
    let is_title = grid.delimiter != Delimiter::Tab && !above.is_empty() && above.len() <= 120;
    is_title.then(|| above.strip_prefix("Table:").unwrap_or(above).trim().to_owned())
}

/// The meanings of a grid's columns, read from their lowest level of header upwards.
fn labels(grid: &Grid) -> Vec<Label> {
    let texts: Vec<String> = grid
        .header
        .iter()
        .map(|levels| {
            levels
                .iter()
                .rev()
                .find(|text| !text.is_empty())
                .cloned()
                .unwrap_or_default()
                .to_lowercase()
        })
        .collect();
    let mut labels: Vec<Label> = grid.header.iter().map(|levels| label_of(levels)).collect();
    resolve_labels(&texts, &mut labels);
    // A box writes one 'Model' over the number of the model and the names.
    let models: Vec<usize> = (0..labels.len())
        .filter(|index| labels[*index].meaning == Meaning::Model)
        .collect();
    let has_term = labels.iter().any(|label| label.meaning == Meaning::Term);
    if let (false, [_, .., last]) = (has_term, models.as_slice()) {
        labels[*last].meaning = Meaning::Term;
    }
    labels
}

fn label_of(levels: &[String]) -> Label {
    let said: Vec<&str> = levels
        .iter()
        .map(String::as_str)
        .filter(|text| !text.is_empty())
        .collect();
    // Levene's test shares the table of the t test.
    if said.iter().any(|text| text.contains("Levene")) {
        return Label {
            meaning: Meaning::Unknown,
            level: None,
            of_ratio: None,
        };
    }
    let tails = (0..said.len()).map(|from| said[from..].join(" "));
    tails
        .map(|text| classify(&text))
        .find(|label| label.is_known())
        .unwrap_or_else(|| classify(""))
}

fn entries(grid: &Grid, labels: &[Label], names: usize) -> Vec<TableEntry> {
    let mut entries: Vec<TableEntry> = Vec::new();
    let mut model: Option<String> = None;
    let mut lead: Option<String> = None;
    let mut previous = String::new();
    for line in &grid.body {
        let values = values(line.cells.get(names..).unwrap_or_default(), &labels[names..]);
        let name = name(line, labels, names, &mut model);
        let has_value = values.iter().any(Option::is_some);
        let is_box = grid.delimiter == Delimiter::Bar;
        if is_box && !has_value {
            // A label that was broken over several lines.
            match entries.last_mut() {
                Some(entry) if line.cells.len() == labels.len() && !name.is_empty() => {
                    entry.term = format!("{} {name}", entry.term);
                }
                _ => {}
            }
            continue;
        }
        let hanging = line.indent.saturating_sub(1);
        if hanging > 0 && is_box {
            lead = lead.or_else(|| previous.get(..hanging).map(|text| text.trim().to_owned()));
        } else {
            lead = None;
            previous = line
                .cells
                .first()
                .map(|cell| cell.text.clone())
                .unwrap_or_default();
        }
        let term = match lead.as_deref().filter(|lead| !lead.is_empty()) {
            Some(lead) => format!("{lead} {name}"),
            None => name,
        };
        entries.push(TableEntry {
            term,
            outcome: None,
            model: model.clone(),
            cells: values,
            lines: vec![line.number],
        });
    }
    entries
}

/// The names of a row; a model's number or step is carried down.
fn name(line: &GridLine, labels: &[Label], names: usize, model: &mut Option<String>) -> String {
    let mut terms: Vec<&str> = Vec::new();
    for (cell, label) in line.cells.iter().zip(labels).take(names) {
        let text = cell.text.trim_matches(['*', '`', '"', ' ']);
        let is_step = text.starts_with("Step ") && text[5..].starts_with(|c: char| c.is_ascii_digit());
        if label.meaning == Meaning::Model || is_step {
            if !text.is_empty() {
                *model = Some(text.to_owned());
            }
        } else if !text.is_empty()
            && (names == 1 || label.meaning == Meaning::Term || number::parse(text).is_none())
        {
            terms.push(text);
        }
    }
    terms.join(" ")
}

/// A cell for each column, an interval's for its two bounds.
fn values(cells: &[GridCell], labels: &[Label]) -> Vec<Option<NumberCell>> {
    labels
        .iter()
        .enumerate()
        .flat_map(|(index, label)| {
            let text = cells.get(index).map_or("", |cell| cell.text.as_str());
            match label.meaning {
                Meaning::Bounds => bounds(text),
                _ => vec![grid::value(text)],
            }
        })
        .collect()
}

/// `[-0.3, 1.2]`, `-0.3 to 1.2`.
pub fn bounds(text: &str) -> Vec<Option<NumberCell>> {
    let inner = text
        .trim()
        .trim_start_matches(['[', '('])
        .trim_end_matches([']', ')']);
    let halves = inner
        .split_once(", ")
        .or_else(|| inner.split_once("; "))
        .or_else(|| inner.split_once(" to "))
        .or_else(|| inner.split_once(" - "))
        .or_else(|| inner.split_once(','))
        .or_else(|| inner.split_once(' '));
    match halves {
        Some((lower, upper)) => vec![number::parse(lower), number::parse(upper)],
        None => vec![None, None],
    }
}
