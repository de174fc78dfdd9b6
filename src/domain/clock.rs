//! Time, as a parameter.

use std::time::Duration;

use jiff::Timestamp;

/// The source of time. Only the composition root names the real one.
pub trait Clock: Send + Sync {
    /// The time of day.
    fn now(&self) -> Timestamp;

    /// The time that has passed since any instant, without that in which the machine slept, and whatever the time of
    /// day is set to meanwhile.
    fn steady(&self) -> Duration;
}

/// A clock that stands still, for byte-identical journals.
#[derive(Debug, Clone, Copy)]
pub struct FixedClock(pub Timestamp);

impl Clock for FixedClock {
    fn now(&self) -> Timestamp {
        self.0
    }

    fn steady(&self) -> Duration {
        Duration::ZERO
    }
}
