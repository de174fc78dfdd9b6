//! Rows of results in grids.

use super::aligned::ReadRows;
use super::context::Context;
use super::correlations;
use super::grid::{self, Delimiter, GridCell, GridHeader, GridLine};
use super::header::resolve_labels;
use super::label::{Label, Meaning};
use super::meaning::classify;
use super::number::{self, NumberCell};
use super::source_line::SourceLine;
use super::table::{PrintedTable, TableEntry, split_bounds};

/// Reads the grid that begins at `at`.
pub fn read(lines: &[SourceLine], at: usize, context: &Context) -> Option<ReadRows> {
    let header = grid::read_header(lines, at)?;
    if correlations::heads_grid(lines, &header) {
        let (body, next) = grid::read_body(lines, &header);
        return Some(ReadRows {
            rows: correlations::from_grid(&header, &body),
            next,
        });
    }
    let labels = labels(&header);
    let names = labels.iter().position(|label| is_number_label(*label))?;
    let known = labels.iter().filter(|label| is_number_label(**label)).count();
    let least = if header.delimiter == Delimiter::Comma {
        2
    } else {
        1
    };
    if known < least || !labels.iter().any(|label| label.is_result()) {
        return None;
    }
    let (body, next) = grid::read_body(lines, &header);
    let entries = entries(&body, header.delimiter, &labels, names);
    let mut context = context.clone();
    context.model = title(lines, at, header.delimiter).or(context.model);
    let rows = PrintedTable {
        labels: split_bounds(&labels[names..]),
        entries,
    }
    .rows(&context);
    Some(ReadRows { rows, next })
}

fn is_number_label(label: Label) -> bool {
    !matches!(
        label.meaning,
        Meaning::Unknown | Meaning::Term | Meaning::Outcome | Meaning::Model
    )
}

/// The title of a box stands on the line above it.
fn title(lines: &[SourceLine], at: usize, delimiter: Delimiter) -> Option<String> {
    let above = lines.get(at.checked_sub(1)?)?.text.trim();
    let is_title = delimiter != Delimiter::Tab && !above.is_empty() && above.len() <= 120;
    is_title.then(|| above.strip_prefix("Table:").unwrap_or(above).trim().to_owned())
}

/// The meanings of a grid's columns, read from their lowest level of header upwards.
fn labels(header: &GridHeader) -> Vec<Label> {
    let texts: Vec<String> = header
        .columns
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
    let mut labels: Vec<Label> = header.columns.iter().map(|levels| label_of(levels)).collect();
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
    // A paired test sets the mean of the differences among its columns.
    let last = said.last().map_or(String::new(), |text| text.to_lowercase());
    if said.iter().any(|text| text.contains("Paired Differences")) {
        match last.as_str() {
            "mean" => return classify("mean difference"),
            "s.e. mean" | "std. error mean" => return classify("std. error"),
            _ => {}
        }
    }
    let tails = (0..said.len()).map(|from| said[from..].join(" "));
    tails
        .map(|text| classify(&text))
        .find(|label| label.is_known())
        .unwrap_or_else(|| classify(""))
}

fn entries(body: &[GridLine], delimiter: Delimiter, labels: &[Label], names: usize) -> Vec<TableEntry> {
    let is_box = delimiter == Delimiter::Bar;
    let mut entries: Vec<TableEntry> = Vec::new();
    let mut stub = Stub::default();
    for line in body {
        let values = values(line.cells.get(names..).unwrap_or_default(), &labels[names..]);
        let has_value = values.iter().any(Option::is_some);
        if is_box && !has_value {
            // A label that was broken over several lines.
            let is_label = line.cells.len() == labels.len()
                && line
                    .cells
                    .iter()
                    .all(|cell| grid::value(&cell.text).is_none() || cell.start == 1);
            let name = stub.name(line, labels, names);
            if let Some(entry) = entries.last_mut().filter(|_| is_label && !name.is_empty()) {
                entry.term = format!("{} {name}", entry.term);
            }
            continue;
        }
        if is_box {
            stub.take_lead(line, names);
        }
        let term = stub.term(line, labels, names);
        entries.push(TableEntry {
            term,
            outcome: None,
            model: stub.model.clone(),
            cells: values,
            lines: vec![line.number],
        });
    }
    entries
}

/// The names that cells carry down to the rows below.
#[derive(Default)]
struct Stub {
    /// A model's number or step.
    model: Option<String>,
    /// The name that heads several rows.
    lead: String,
    /// The first cell of the last row that was not indented.
    first: String,
}

impl Stub {
    /// Takes the name that blank or indented first cells stand below.
    fn take_lead(&mut self, line: &GridLine, names: usize) {
        let own = line.cells.first().map_or("", |cell| cell.text.as_str());
        let hanging = line.indent.saturating_sub(1);
        if own.is_empty() && names > 1 {
            if self.lead.is_empty() {
                self.lead.clone_from(&self.first);
            }
        } else if hanging > 0 && !own.is_empty() {
            let lead = self
                .first
                .get(..hanging)
                .filter(|lead| lead.ends_with(' ') || lead.len() == self.first.len());
            if self.lead.is_empty() {
                self.lead = lead.map_or_else(String::new, |lead| lead.trim().to_owned());
            }
        } else {
            own.clone_into(&mut self.first);
            self.lead.clear();
        }
    }

    fn term(&mut self, line: &GridLine, labels: &[Label], names: usize) -> String {
        let name = self.name(line, labels, names);
        if self.lead.is_empty() || is_step(&self.lead).is_some() || number::parse(&self.lead).is_some() {
            return name;
        }
        format!("{} {name}", self.lead)
    }

    /// The names of a row; a model's number or step is carried down.
    fn name(&mut self, line: &GridLine, labels: &[Label], names: usize) -> String {
        let mut terms: Vec<&str> = Vec::new();
        for (index, (cell, label)) in line.cells.iter().zip(labels).take(names).enumerate() {
            let mut text = cell.text.trim_matches(['*', '`', '"', ' ']);
            if let Some((step, rest)) = is_step(text) {
                self.model = Some(step.to_owned());
                text = rest;
            }
            if label.meaning == Meaning::Model {
                if !text.is_empty() {
                    self.model = Some(text.to_owned());
                }
            } else if !text.is_empty()
                && (index == 0 || label.meaning == Meaning::Term || grid::value(text).is_none())
            {
                terms.push(text);
            }
        }
        terms
            .join(" ")
            .split_whitespace()
            .collect::<Vec<&str>>()
            .join(" ")
    }
}

/// `Step 1` in front of a name, or alone.
fn is_step(text: &str) -> Option<(&str, &str)> {
    let rest = text.strip_prefix("Step ")?;
    let end = rest.find(' ').unwrap_or(rest.len());
    let is_number = rest[..end]
        .trim_end_matches(|c: char| c.is_ascii_lowercase() || c == '^')
        .bytes()
        .all(|b| b.is_ascii_digit());
    is_number.then(|| (&text[.."Step ".len() + end], rest[end..].trim()))
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
