//! Waiting, as a parameter.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use tokio::time::{Instant, sleep};

/// The timer of a layer.
#[async_trait]
pub trait Timer: Send + Sync {
    /// The time since some fixed moment; it never runs backwards.
    fn passed(&self) -> Duration;

    /// Returns when `duration` has passed.
    async fn wait(&self, duration: Duration);
}

/// Is told how much of a wait is left: at its beginning, every second, and when
/// nothing is.
pub type OnTick = Arc<dyn Fn(Duration) + Send + Sync>;

const TICK: Duration = Duration::from_secs(1);

/// Real time.
#[derive(Clone)]
pub struct RealTime {
    begun: Instant,
    on_tick: Option<OnTick>,
    tick: Duration,
}

impl Default for RealTime {
    fn default() -> Self {
        Self {
            begun: Instant::now(),
            on_tick: None,
            tick: TICK,
        }
    }
}

impl RealTime {
    /// Real time that tells how it passes.
    pub fn ticking(on_tick: OnTick) -> Self {
        Self {
            on_tick: Some(on_tick),
            ..Self::default()
        }
    }
}

#[async_trait]
impl Timer for RealTime {
    fn passed(&self) -> Duration {
        self.begun.elapsed()
    }

    async fn wait(&self, duration: Duration) {
        let Some(on_tick) = &self.on_tick else {
            return sleep(duration).await;
        };
        let until = Instant::now() + duration;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            on_tick(left);
            if left.is_zero() {
                return;
            }
            sleep(left.min(self.tick)).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[tokio::test]
    async fn a_wait_is_counted_down() {
        let told = Arc::new(Mutex::new(Vec::new()));
        let log = told.clone();
        let time = RealTime {
            tick: Duration::from_millis(1),
            ..RealTime::ticking(Arc::new(move |left: Duration| log.lock().unwrap().push(left)))
        };
        let whole = Duration::from_millis(30);
        time.wait(whole).await;
        assert!(time.passed() >= whole);
        let told = told.lock().unwrap().clone();
        assert!(told.len() > 1 && told[0] <= whole, "{told:?}");
        assert_eq!(told.last(), Some(&Duration::ZERO));
        assert!(told.windows(2).all(|pair| pair[1] < pair[0]), "{told:?}");
    }
}
