//! The readers of `documents/`, as the tools use them: in a helper process,
//! because files are hostile.

use std::collections::BTreeSet;

use crate::documents::document::{Document, Limits};
use crate::documents::helper::Helper;
use crate::documents::kind::Kind;
use crate::documents::sniff::sniff;
use crate::documents::table::column::{self, Key, Sort, Values};
use crate::documents::table::dates;

use super::csv_table::DelimitedText;
use super::read_file::{DocumentReader, PlainText, Rendered};
use super::table::{Cell, Column, Table, TableReader};

/// Reads documents and data sets by their content.
#[derive(Debug, Clone)]
pub struct Readers {
    helper: Helper,
    limits: Limits,
}

impl Readers {
    /// Readers that start `helper` for each file.
    pub fn new(helper: Helper) -> Self {
        Self {
            helper,
            limits: Limits::default(),
        }
    }

    fn document(&self, name: &str, bytes: &[u8]) -> Result<Document, String> {
        self.helper
            .read(name, bytes, &self.limits)
            .map_err(|error| error.to_string())
    }
}

impl DocumentReader for Readers {
    fn read(&self, name: &str, bytes: &[u8]) -> Result<Rendered, String> {
        let kind = sniff(bytes);
        match kind {
            Kind::Pdf | Kind::Docx | Kind::Notebook => {
                let document = self.document(name, bytes)?;
                let mut text = document.whole_text();
                for note in &document.notes {
                    text.push_str(&format!("[{note}]\n"));
                }
                let pages = match document.pages.len() {
                    0 => String::new(),
                    1 => ", 1 page".to_owned(),
                    pages => format!(", {pages} pages"),
                };
                Ok(Rendered {
                    kind: format!("{}{pages}", kind.name()),
                    text,
                })
            }
            kind if kind.is_table() && !is_text(&kind) => {
                Err(format!("it is {}; `inspect_data` shows it", kind.name()))
            }
            _ => PlainText.read(name, bytes),
        }
    }
}

fn is_text(kind: &Kind) -> bool {
    matches!(kind, Kind::Delimited(_) | Kind::Json | Kind::JsonLines)
}

impl TableReader for Readers {
    fn read(&self, name: &str, bytes: &[u8]) -> Result<Table, String> {
        let kind = sniff(bytes);
        if !kind.is_table() || matches!(kind, Kind::Delimited(_)) {
            return DelimitedText.read(name, bytes);
        }
        let mut document = self.document(name, bytes)?;
        if document.tables.is_empty() {
            let notes = document.notes.join(" ");
            return Err(format!("it is {} and holds no table {notes}", kind.name()));
        }
        let names: Vec<String> = document.tables.iter().map(|table| table.name.clone()).collect();
        let first = document.tables.swap_remove(0);
        let mut notes = document.notes;
        if names.len() > 1 {
            notes.push(format!(
                "The file holds {} tables ({}); this is the first of them.",
                names.len(),
                names.join(", ")
            ));
        }
        let seen: BTreeSet<String> = notes.iter().cloned().collect();
        notes.extend(first.notes.iter().filter(|note| !seen.contains(*note)).cloned());
        Ok(Table {
            format: kind.name().to_owned(),
            rows: first.rows,
            columns: first.columns.iter().map(shown).collect(),
            notes,
        })
    }
}

/// A column as the tools show it: factors and dates as text, labels kept.
fn shown(column: &column::Column) -> Column {
    let cells = match &column.values {
        Values::Texts(texts) => (0..texts.len())
            .map(|row| {
                texts
                    .get(row)
                    .map_or(Cell::Missing, |text| Cell::Text(text.to_owned()))
            })
            .collect(),
        Values::Numbers(numbers) => numbers.iter().map(|number| cell(column, *number)).collect(),
    };
    let value_labels = match column.sort {
        Sort::Factor { .. } => Vec::new(),
        _ => column
            .labels
            .iter()
            .map(|(key, label)| (key_text(key), label.clone()))
            .collect(),
    };
    Column {
        name: column.name.clone(),
        label: column.label.clone(),
        value_labels,
        cells,
    }
}

fn cell(column: &column::Column, number: f64) -> Cell {
    if number.is_nan() {
        return Cell::Missing;
    }
    match column.sort {
        Sort::Factor { .. } => column
            .label_of(number)
            .map_or(Cell::Number(number), |label| Cell::Text(label.to_owned())),
        Sort::Date => dates::date(number).map_or(Cell::Number(number), Cell::Text),
        Sort::DateTime => dates::date_time(number).map_or(Cell::Number(number), Cell::Text),
        _ => Cell::Number(number),
    }
}

fn key_text(key: &Key) -> String {
    match key {
        Key::Number(number) => number.to_string(),
        Key::Text(text) => text.clone(),
        Key::Missing(code) => code.clone(),
    }
}
