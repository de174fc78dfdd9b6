//! The clock of a process.

use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;

use crate::domain::clock::{Clock, FixedClock};
use crate::settings::Settings;

/// The system's clock.
#[derive(Debug, Clone, Copy)]
struct SystemClock {
    begun: Instant,
}

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }

    fn steady(&self) -> Duration {
        self.begun.elapsed()
    }
}

/// The clock that the settings ask for.
pub fn clock(settings: &Settings) -> Arc<dyn Clock> {
    match settings.fixed_time {
        Some(time) => Arc::new(FixedClock(time)),
        None => Arc::new(SystemClock {
            begun: Instant::now(),
        }),
    }
}
