//! Time that counts less on a busy machine.

use std::fs;
use std::time::{Duration, Instant};

/// The least share that time counts with: a machine that does ten times more than it can is not
/// waited for without end.
const LEAST_SHARE: f64 = 0.1;

/// The time since `begin`, by the share of the processors that a process gets now.
pub fn elapsed(begin: Instant) -> Duration {
    begin.elapsed().mul_f64(share())
}

/// The share of the processors that a process gets which wants as many as there are; 1 where the
/// kernel does not tell.
pub fn share() -> f64 {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let load = fs::read_to_string("/proc/loadavg").ok();
    share_at(load.as_deref().and_then(last_minute), processors)
}

/// The mean number of processes of the last minute that ran or would have.
fn last_minute(text: &str) -> Option<f64> {
    text.split(' ').next()?.parse().ok()
}

fn share_at(load: Option<f64>, processors: usize) -> f64 {
    let load = load.filter(|load| load.is_finite() && *load > 0.0);
    load.map_or(1.0, |load| (processors as f64 / load).clamp(LEAST_SHARE, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_counts_by_the_share_of_the_processors() {
        assert_eq!(last_minute("8.50 3.00 1.00 2/345 678\n"), Some(8.5));
        assert_eq!(share_at(Some(8.0), 2), 0.25);
        assert_eq!(share_at(Some(0.5), 2), 1.0);
        assert_eq!(share_at(Some(900.0), 2), LEAST_SHARE);
        for unknown in [None, Some(f64::NAN), Some(-1.0), Some(0.0)] {
            assert_eq!(share_at(unknown, 2), 1.0);
        }
        assert_eq!(last_minute(""), None);
    }
}
