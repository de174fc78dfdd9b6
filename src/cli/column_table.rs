//! A table of a person's as CSV: its columns by their names, its rows with their lines.

use std::io;
use std::path::Path;

use crate::grading::discovery::bounded_file;

/// A table with a header.
pub struct ColumnTable {
    bytes: Vec<u8>,
    /// Names without spaces around them.
    pub header: Vec<String>,
}

/// A row with its line, counted from 1.
pub struct TableRow {
    pub line: usize,
    record: csv::StringRecord,
}

/// An error of a table.
#[derive(Debug, thiserror::Error)]
pub enum ColumnError {
    #[error(transparent)]
    Unreadable(#[from] io::Error),
    #[error(transparent)]
    Broken(#[from] csv::Error),
    #[error("it has no column `{name}`, which --{option} names")]
    Absent { name: String, option: &'static str },
}

impl ColumnTable {
    /// Reads a table of at most so many bytes.
    ///
    /// # Errors
    /// A file that cannot be read or is too large, or a header that is no text.
    pub fn open(path: &Path, largest: u64) -> Result<Self, ColumnError> {
        let bytes = bounded_file::up_to(path, largest)?;
        let names = reader(&bytes).headers()?.clone();
        let plain = |name: &str| name.trim_start_matches('\u{feff}').trim().to_owned();
        Ok(Self {
            header: names.iter().map(plain).collect(),
            bytes,
        })
    }

    /// The place of a column that an option names.
    ///
    /// # Errors
    /// A name that no column has.
    pub fn named(&self, option: &'static str, name: &str) -> Result<usize, ColumnError> {
        let found = self.header.iter().position(|own| own == name);
        found.ok_or_else(|| ColumnError::Absent {
            name: name.to_owned(),
            option,
        })
    }

    /// The rows behind the header; each that cannot be read is an error of its own.
    pub fn rows(&self) -> impl Iterator<Item = Result<TableRow, ColumnError>> {
        reader(&self.bytes).into_records().map(|record| {
            let record = record?;
            let line = record.position().map_or(0, |position| self.line_at(position));
            Ok(TableRow { line, record })
        })
    }

    /// The line of a record: the reader's own stands before the ends of lines that precede the record,
    /// of blank lines and the second half of `\r\n` among them.
    fn line_at(&self, position: &csv::Position) -> usize {
        let from = self.bytes.get(position.byte() as usize..).unwrap_or_default();
        let ends = from.iter().take_while(|byte| matches!(byte, b'\r' | b'\n'));
        position.line() as usize + ends.filter(|byte| **byte == b'\n').count()
    }
}

impl TableRow {
    /// The text of a field without spaces around it; empty where the row is shorter.
    pub fn field(&self, at: usize) -> &str {
        self.record.get(at).unwrap_or_default().trim()
    }

    /// Whether nothing stands in it.
    pub fn is_blank(&self) -> bool {
        self.record.iter().all(|field| field.trim().is_empty())
    }
}

fn reader(bytes: &[u8]) -> csv::Reader<&[u8]> {
    csv::ReaderBuilder::new().flexible(true).from_reader(bytes)
}
