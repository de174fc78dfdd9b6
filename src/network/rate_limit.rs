//! A polite pace: requests to one host stand apart.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::model::layers::timer::Timer;

/// Hands out turns, host by host.
pub struct Pace {
    apart: Duration,
    timer: Arc<dyn Timer>,
    next: Mutex<HashMap<String, Duration>>,
}

impl Pace {
    pub fn new(apart: Duration, timer: Arc<dyn Timer>) -> Self {
        Self {
            apart,
            timer,
            next: Mutex::default(),
        }
    }

    /// Waits for the host's turn, and takes it.
    pub async fn turn(&self, host: &str, apart: Option<Duration>) {
        let now = self.timer.passed();
        let wait = {
            let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
            let turn = next.get(host).copied().unwrap_or(now).max(now);
            next.insert(host.to_owned(), turn + apart.unwrap_or_default().max(self.apart));
            turn - now
        };
        self.wait(wait).await;
    }

    /// Waits as long as a server asked to.
    pub async fn wait(&self, duration: Duration) {
        if !duration.is_zero() {
            self.timer.wait(duration).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use async_trait::async_trait;

    use super::*;

    #[derive(Default)]
    struct Told(Mutex<Vec<u64>>);

    #[async_trait]
    impl Timer for Told {
        fn passed(&self) -> Duration {
            Duration::from_secs(100)
        }

        async fn wait(&self, duration: Duration) {
            self.0.lock().unwrap().push(duration.as_secs());
        }
    }

    #[tokio::test]
    async fn a_host_is_asked_once_a_second_and_others_at_once() {
        let told = Arc::new(Told::default());
        let pace = Pace::new(Duration::from_secs(1), told.clone());
        for host in ["a.org", "a.org", "b.org", "a.org"] {
            pace.turn(host, None).await;
        }
        pace.turn("b.org", Some(Duration::from_secs(9))).await;
        pace.turn("b.org", None).await;
        assert_eq!(*told.0.lock().unwrap(), [1, 2, 1, 10]);
    }
}
