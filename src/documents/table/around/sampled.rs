//! The first records of a table as they are written.

use std::borrow::Cow;

use crate::documents::table::number;
use crate::documents::table::records::Records;
use crate::domain::excerpt;

/// Records that a decision rests on.
pub const LOOKED_AT: usize = 220;
/// Signs that open a comment.
pub(super) const COMMENTS: [char; 2] = ['#', '%'];

/// A record as it is written, with the line and the place that it begins on.
pub(super) struct Sampled<'t> {
    pub(super) line: u64,
    pub(super) start: usize,
    pub(super) fields: Vec<Cow<'t, str>>,
}

impl Sampled<'_> {
    pub(super) fn filled(&self) -> usize {
        self.fields
            .iter()
            .filter(|field| !field.trim().is_empty())
            .count()
    }

    pub(super) fn field(&self, at: usize) -> &str {
        self.fields.get(at).map_or("", |field| field.trim())
    }

    pub(super) fn is_comment(&self) -> bool {
        self.field(0).starts_with(COMMENTS)
    }

    /// Whether it holds numbers that cannot be the names of columns, as years can.
    pub(super) fn has_numbers(&self) -> bool {
        self.fields
            .iter()
            .any(|field| is_number(field) && !is_year(field))
    }

    /// Its first text, in quotes.
    pub(super) fn quoted(&self) -> String {
        let mut fields = self.fields.iter().map(|field| field.trim());
        let first = fields.find(|field| !field.is_empty());
        format!("\"{}\"", shortened(first.unwrap_or_default()))
    }
}

/// The first records of a text.
pub(super) fn sample(text: &str, delimiter: u8) -> Vec<Sampled<'_>> {
    let mut records = Records::new(text, delimiter);
    let mut sample = Vec::new();
    let mut fields = Vec::new();
    while sample.len() < LOOKED_AT {
        let Some(line) = records.read(&mut fields) else {
            break;
        };
        sample.push(Sampled {
            line,
            start: records.start(),
            fields: std::mem::take(&mut fields),
        });
    }
    sample
}

/// The number of fields that most records have, the larger of two.
pub(super) fn width<'s, 't: 's>(records: impl Iterator<Item = &'s Sampled<'t>>) -> usize {
    let mut counts: Vec<usize> = records.map(|record| record.fields.len()).collect();
    counts.sort_unstable();
    let runs = counts.chunk_by(|one, next| one == next);
    runs.max_by_key(|run| run.len()).map_or(0, |run| run[0])
}

/// Whether it may be the name of a column, though it is a number.
pub(super) fn is_year(text: &str) -> bool {
    number::plain(text).is_some_and(|number| number.whole && (1800.0..2100.0).contains(&number.value))
}

pub(super) fn is_number(text: &str) -> bool {
    number::plain(text).is_some() || number::style(text).is_some()
}

pub(super) fn shortened(text: &str) -> String {
    excerpt::shortened(text, 60).replace('\n', " ")
}
