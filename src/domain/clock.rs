//! Time, as a parameter.

use jiff::Timestamp;

/// The source of time. Only the composition root names the real one.
pub trait Clock: Send + Sync {
    /// The time of day.
    fn now(&self) -> Timestamp;
}

/// A clock that stands still, for byte-identical journals.
#[derive(Debug, Clone, Copy)]
pub struct FixedClock(pub Timestamp);

impl Clock for FixedClock {
    fn now(&self) -> Timestamp {
        self.0
    }
}
