//! The bytes that a run records of its program's calls.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::model::proxy::call_failure::CallFailure;
use crate::run::state::State;

/// The bytes that were recorded of calls, and the most that may be.
#[derive(Debug)]
pub struct RecordedBytes {
    most: u64,
    recorded: AtomicU64,
}

impl RecordedBytes {
    /// With what a run has recorded so far, in all its stages.
    pub fn of(state: &State, most: u64) -> Self {
        let answered = state.stages.values().flat_map(|stage| &stage.turns);
        let answered = answered.filter_map(|turn| Some((turn.program.as_ref()?, &turn.text)));
        let answered =
            answered.map(|(call, text)| call.asked.between.size() + call.served.size() + text.size());
        let failed = state.stages.values().flat_map(|stage| &stage.failed_calls);
        let failed = failed.map(|one| one.failed.asked.between.size() + one.failed.served.size());
        Self {
            most,
            recorded: AtomicU64::new(answered.chain(failed).sum()),
        }
    }

    /// Refuses a call if there is no room for it.
    ///
    /// # Errors
    /// The limit, which this call could pass.
    pub fn ensure_room(&self, pending: u64) -> Result<(), CallFailure> {
        let recorded = self.recorded.load(Ordering::Relaxed);
        match recorded.saturating_add(pending) > self.most {
            true => Err(CallFailure::Full(self.most)),
            false => Ok(()),
        }
    }

    /// Counts what was recorded.
    pub fn add(&self, bytes: u64) {
        self.recorded.fetch_add(bytes, Ordering::Relaxed);
    }
}
