//! Rows around the records of a sheet.

use std::borrow::Cow;

use super::header::header;
use super::sampled::{LOOKED_AT, Sampled};
use super::second_names::second_names;

/// Rows that show where the names of the columns are.
pub const FIRST_ROWS: usize = LOOKED_AT;

/// The rows around the records of a sheet.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AroundSheet {
    /// The row of the names, from 0.
    pub header: u32,
    /// The row after the last one between the names and the records.
    pub first: u32,
    /// What is between the names and the first record, by column.
    pub labels: Vec<String>,
    pub notes: Vec<String>,
}

/// Looks for what is above the records of a sheet: its first used rows, each with its number
/// from 0 and the texts of all columns.
pub fn of_sheet(rows: Vec<(u32, Vec<String>)>) -> AroundSheet {
    let sample: Vec<Sampled<'_>> = rows
        .into_iter()
        .take(LOOKED_AT)
        .map(|(row, texts)| Sampled {
            line: u64::from(row) + 1,
            start: row as usize,
            fields: texts.into_iter().map(Cow::Owned).collect(),
        })
        .collect();
    let Some(header) = header(&sample) else {
        return AroundSheet::default();
    };
    let names = &sample[header];
    let body: Vec<&Sampled<'_>> = sample[header + 1..].iter().collect();
    let mut notes = Vec::new();
    if header > 0 {
        notes.push(format!(
            "The names of the columns are in row {}: the rows above ({}) were left out. pandas needs \
             `header={}` for that.",
            names.line,
            sample[0].quoted(),
            names.line - 1
        ));
    }
    let second = second_names(&body, names).unwrap_or_default();
    if second.count > 0 {
        notes.push(second.note);
    }
    let last = match second.count {
        0 => names,
        count => body[count - 1],
    };
    AroundSheet {
        header: names.start as u32,
        first: last.start as u32 + 1,
        labels: second.labels,
        notes,
    }
}
