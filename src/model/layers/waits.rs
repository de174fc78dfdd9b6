//! Waiting times of the call under way, for the journal.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::domain::usage::Usage;
use crate::domain::waiting::Waiting;

/// The waits of the call under way. A run asks one call after another, so that
/// what is found here after an answer belongs to it.
#[derive(Debug, Default)]
pub struct Waits(Mutex<Waiting>);

impl Waits {
    /// Adds a wait before another attempt.
    pub fn retried(&self, wait: Duration) {
        *self.lock() += Waiting {
            ms: milliseconds(wait),
            retries: 1,
            ..Waiting::default()
        };
    }

    /// Adds a wait in line.
    pub fn held(&self, wait: Duration) {
        self.lock().ms += milliseconds(wait);
    }

    /// Adds tokens of an attempt that gave no answer.
    pub fn lost(&self, usage: Usage) {
        self.lock().lost += usage;
    }

    /// What came together since this was last asked.
    pub fn take(&self) -> Waiting {
        std::mem::take(&mut *self.lock())
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn milliseconds(wait: Duration) -> u64 {
    u64::try_from(wait.as_millis()).unwrap_or(u64::MAX)
}
