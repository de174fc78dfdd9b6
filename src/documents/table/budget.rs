//! A count of the memory that a table may decode to.

use crate::documents::limits::{Limits, ReadError};

/// The memory that is left for one reading.
#[derive(Debug)]
pub struct MemoryBudget {
    left: u64,
    whole: u64,
}

impl MemoryBudget {
    /// A budget of the limits' memory.
    pub fn new(limits: &Limits) -> Self {
        Self {
            left: limits.memory,
            whole: limits.memory,
        }
    }

    /// Takes bytes out of it.
    ///
    /// # Errors
    /// More bytes than are left.
    pub fn take(&mut self, bytes: u64) -> Result<(), ReadError> {
        match self.left.checked_sub(bytes) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(ReadError::TooBig(self.whole >> 20)),
        }
    }

    /// Takes the bytes of so many rows of so many numeric columns.
    ///
    /// # Errors
    /// More bytes than are left.
    pub fn take_cells(&mut self, rows: u64, columns: u64) -> Result<(), ReadError> {
        self.take(rows.saturating_mul(columns).saturating_mul(8))
    }

    /// Gives bytes back that were taken and are free again.
    pub fn give(&mut self, bytes: u64) {
        self.left = self.left.saturating_add(bytes).min(self.whole);
    }

    /// Bytes that may still be taken.
    pub fn left(&self) -> u64 {
        self.left
    }
}
