//! Waits for an index that does not answer, told every some seconds.

use std::future::Future;
use std::pin::pin;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// The patience with an index.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// The longest that it may say nothing.
    pub silence: Duration,
    /// The time between two words on that.
    pub told_every: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            silence: Duration::from_secs(60),
            told_every: Duration::from_secs(10),
        }
    }
}

/// Tells of waits, one at a time where several requests are under way.
#[derive(Debug)]
pub struct Waits {
    patience: Patience,
    last: Mutex<Option<Instant>>,
}

impl Waits {
    /// Nothing was told so far.
    pub fn new(patience: Patience) -> Self {
        Self {
            patience,
            last: Mutex::new(None),
        }
    }

    /// Waits for an answer, and tells how long it has taken so far.
    pub async fn tell<T>(&self, answer: impl Future<Output = T>, told: impl Fn(Duration)) -> T {
        let begun = Instant::now();
        let mut answer = pin!(answer);
        loop {
            tokio::select! {
                biased;
                had = &mut answer => return had,
                () = tokio::time::sleep(self.patience.told_every) => {
                    if self.is_due() {
                        told(begun.elapsed());
                    }
                }
            }
        }
    }

    /// Whether no other request was told of a moment ago.
    fn is_due(&self) -> bool {
        let Ok(mut last) = self.last.lock() else {
            return true;
        };
        let is_due = last.is_none_or(|last| last.elapsed() >= self.patience.told_every / 2);
        if is_due {
            *last = Some(Instant::now());
        }
        is_due
    }
}
