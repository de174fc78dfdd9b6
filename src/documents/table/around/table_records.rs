//! The records of a text, without what is around them.

use std::borrow::Cow;

use super::text::Around;
use crate::documents::table::records::Records;

/// The records of a table, without what is around them.
#[derive(Debug)]
pub struct TableRecords<'t, 'a> {
    pub records: Records<'t>,
    around: &'a Around,
    fields: usize,
    /// Records that are left to be passed over.
    second: usize,
}

impl<'t, 'a> TableRecords<'t, 'a> {
    /// Stands at the names of the columns.
    pub fn new(text: &'t str, delimiter: u8, around: &'a Around) -> Self {
        Self {
            records: Records::from_line(&text[..around.end], delimiter, around.start, around.line),
            around,
            fields: 0,
            second: around.second.count,
        }
    }

    /// Reads the names.
    pub fn names(&mut self, record: &mut Vec<Cow<'t, str>>) -> Option<u64> {
        let line = self.records.read(record)?;
        self.fields = record.len();
        Some(line)
    }

    /// Reads a record and returns its line; `None` at the end.
    pub fn read(&mut self, record: &mut Vec<Cow<'t, str>>) -> Option<u64> {
        loop {
            let line = self.records.read(record)?;
            let is_aside = self.around.comment.is_some_and(|sign| {
                record.len() < self.fields
                    && record
                        .first()
                        .is_some_and(|first| first.trim_start().starts_with(sign))
            });
            if is_aside {
                continue;
            }
            if self.second > 0 {
                self.second -= 1;
                continue;
            }
            if self.around.is_trailing && record.len() == self.fields + 1 {
                record.truncate(self.fields);
            }
            return Some(line);
        }
    }
}
