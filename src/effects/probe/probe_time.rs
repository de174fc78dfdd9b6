//! The time of probes: by the clock where a person set it, by their share of the processors else.

use std::sync::Mutex;
use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::sandbox::processor_share::share;

/// How often the share of the processors is looked at.
const LOOK: Duration = Duration::from_millis(500);

/// The time that probes are given, in milliseconds.
#[derive(Debug, Clone, Copy)]
pub struct ProbeTime {
    /// What was given in all.
    pub given: u64,
    /// What is left of it.
    pub left: u64,
    /// What is added where something is still wanted when that is over.
    pub spare: u64,
    /// Whether a second counts as one however busy the machine is.
    pub by_the_clock: bool,
    /// The most by the clock, where the run's own time is bounded.
    pub most: Option<u64>,
}

impl ProbeTime {
    /// Adds the spare time; false where there is none.
    pub fn open_spare(&mut self) -> bool {
        self.left = std::mem::take(&mut self.spare);
        self.given = self.given.saturating_add(self.left);
        self.left > 0
    }

    /// The clause on its end.
    pub fn up(self) -> String {
        format!(
            "the time for the probes ({:.0} s) was up",
            self.given as f64 / 1000.0
        )
    }
}

/// The time that runs down while probes are made.
pub struct ProbeTimer {
    left: Mutex<Duration>,
    by_the_clock: bool,
    /// By the clock, whatever is left.
    end: Option<Instant>,
}

impl ProbeTimer {
    pub fn start(time: ProbeTime) -> Self {
        let after = |milliseconds| Instant::now().checked_add(Duration::from_millis(milliseconds));
        Self {
            left: Mutex::new(Duration::from_millis(time.left)),
            by_the_clock: time.by_the_clock,
            end: time.most.and_then(after),
        }
    }

    /// Started again with what is left of `time`, up to the same end by the clock.
    pub fn again(self, time: ProbeTime) -> Self {
        Self {
            end: self.end,
            ..Self::start(time)
        }
    }

    /// Whether it has run down.
    pub fn was_up(&self) -> bool {
        self.left().is_zero() || self.is_past_end()
    }

    /// Whether the run's own time is over, to which nothing is added.
    pub fn is_past_end(&self) -> bool {
        self.end.is_some_and(|end| Instant::now() >= end)
    }

    /// Runs down; what has run down stays so where this is left and begun again.
    pub async fn is_up(&self) {
        while !self.was_up() {
            let begun = Instant::now();
            let _passing = PassingTime { timer: self, begun };
            let rest = self.end.map_or(LOOK, |end| end.saturating_duration_since(begun));
            sleep(self.left().min(LOOK).min(rest)).await;
        }
    }

    fn left(&self) -> Duration {
        *self.left.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    fn count(&self, passed: Duration) {
        let mut left = self.left.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        *left = left.saturating_sub(passed);
    }
}

/// Time that is counted when it is over, however it ends.
struct PassingTime<'a> {
    timer: &'a ProbeTimer,
    begun: Instant,
}

impl Drop for PassingTime<'_> {
    fn drop(&mut self) {
        let share = if self.timer.by_the_clock { 1.0 } else { share() };
        self.timer.count(self.begun.elapsed().mul_f64(share));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(by_the_clock: bool) -> ProbeTime {
        ProbeTime {
            given: 20_000,
            left: 20_000,
            spare: 40_000,
            by_the_clock,
            most: None,
        }
    }

    #[test]
    fn the_time_that_was_up_counts_what_was_added() {
        let mut time = time(false);
        assert_eq!(time.up(), "the time for the probes (20 s) was up");
        assert!(time.open_spare());
        assert_eq!((time.left, time.given), (40_000, 60_000));
        assert_eq!(time.up(), "the time for the probes (60 s) was up");
        assert!(!time.open_spare());
        assert_eq!(time.up(), "the time for the probes (60 s) was up");
    }

    #[tokio::test]
    async fn a_timer_runs_down_over_rounds_and_ends_by_the_clock() {
        let short = ProbeTime {
            left: 300,
            ..time(true)
        };
        let begun = Instant::now();
        let timer = ProbeTimer::start(short);
        // Rounds that are shorter than a look are counted as well.
        for _ in 0..10 {
            tokio::select! {
                () = timer.is_up() => break,
                () = sleep(Duration::from_millis(20)) => {}
            }
        }
        assert!(timer.left() <= Duration::from_millis(100), "{:?}", timer.left());
        timer.is_up().await;
        assert!(timer.was_up() && begun.elapsed() >= Duration::from_millis(300));
        let bounded = ProbeTime {
            most: Some(100),
            ..time(true)
        };
        let timer = ProbeTimer::start(bounded);
        let begun = Instant::now();
        timer.is_up().await;
        assert!(begun.elapsed() < Duration::from_secs(20));
        // Spare time does not move the end by the clock.
        assert!(timer.again(time(true)).was_up());
    }
}
