//! A journal in memory, for tests and for measuring.

use jiff::Timestamp;

use crate::run::event::{Event, Record};

use super::log::{Journal, JournalError};

/// Keeps its records in a vector.
#[derive(Debug, Default)]
pub struct MemoryJournal {
    pub records: Vec<Record>,
}

impl Journal for MemoryJournal {
    fn append(&mut self, at: Timestamp, event: Event) -> Result<Record, JournalError> {
        let record = Record {
            seq: self.records.len() as u64 + 1,
            at,
            event,
        };
        self.records.push(record.clone());
        Ok(record)
    }
}
