//! The news of asking an index.

use std::time::Duration;

/// A moment of a resolution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexNews {
    /// Pages and files that have been had.
    pub answered: usize,
    /// What is asked for.
    pub asked: String,
    /// Of an answer that does not come, where it is waited for and how long.
    pub waited: Option<IndexWait>,
}

/// A wait for an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexWait {
    pub host: String,
    pub so_far: Duration,
}

impl IndexNews {
    /// The sentence on a wait; `None` where nothing is waited for.
    pub fn wait_sentence(&self) -> Option<String> {
        let wait = self.waited.as_ref()?;
        Some(format!(
            "{} has not answered for {} s (asked for {}, {} answers before)",
            wait.host,
            wait.so_far.as_secs(),
            self.asked,
            self.answered
        ))
    }
}

/// Is told how the asking goes.
pub type OnNews<'a> = &'a (dyn Fn(IndexNews) + Send + Sync);
