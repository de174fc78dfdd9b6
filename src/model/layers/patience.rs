//! Waiting, as a parameter.

use std::time::Duration;

use async_trait::async_trait;
use tokio::time::{Instant, sleep};

/// What a layer waits by.
#[async_trait]
pub trait Patience: Send + Sync {
    /// The time since some fixed moment; it never runs backwards.
    fn passed(&self) -> Duration;

    /// Returns when `duration` has passed.
    async fn wait(&self, duration: Duration);
}

/// Real time.
#[derive(Debug, Clone, Copy)]
pub struct RealTime(Instant);

impl Default for RealTime {
    fn default() -> Self {
        Self(Instant::now())
    }
}

#[async_trait]
impl Patience for RealTime {
    fn passed(&self) -> Duration {
        self.0.elapsed()
    }

    async fn wait(&self, duration: Duration) {
        sleep(duration).await;
    }
}
