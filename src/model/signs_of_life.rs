//! Signs of life of a server.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Counts the signs of life that a server shows to anybody of this process: while it answers another call, a call may
/// stand in its queue.
#[derive(Debug, Clone, Default)]
pub struct SignsOfLife(Arc<AtomicU64>);

impl SignsOfLife {
    /// Notes one.
    pub fn note(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    /// How many there were.
    pub fn count(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}
