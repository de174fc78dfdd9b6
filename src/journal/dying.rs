//! A journal that kills its process, for tests of resuming.

use jiff::Timestamp;

use crate::run::event::{Event, Record};

use super::log::{Journal, JournalError};

/// Aborts the process right behind one event.
pub struct DyingJournal {
    inner: Box<dyn Journal>,
    after: u64,
}

impl DyingJournal {
    /// Dies behind the event with number `after`.
    pub fn new(inner: Box<dyn Journal>, after: u64) -> Self {
        Self { inner, after }
    }
}

impl Journal for DyingJournal {
    fn append(&mut self, at: Timestamp, event: Event) -> Result<Record, JournalError> {
        let record = self.inner.append(at, event)?;
        if record.seq == self.after {
            std::process::abort();
        }
        Ok(record)
    }
}
