//! Failures of the steps by which a process confines itself.

use std::io;

/// A step that failed, and why.
#[derive(Debug, thiserror::Error)]
#[error("{step}: {why}")]
pub struct StepFailure {
    step: String,
    why: String,
}

impl StepFailure {
    pub fn new(step: impl Into<String>, why: impl ToString) -> Self {
        Self {
            step: step.into(),
            why: why.to_string(),
        }
    }
}

/// Names the step that a result belongs to.
pub trait Step<T> {
    fn step(self, name: impl FnOnce() -> String) -> Result<T, StepFailure>;
}

impl<T> Step<T> for nix::Result<T> {
    fn step(self, name: impl FnOnce() -> String) -> Result<T, StepFailure> {
        self.map_err(|errno| StepFailure::new(name(), io::Error::from(errno)))
    }
}

impl<T> Step<T> for io::Result<T> {
    fn step(self, name: impl FnOnce() -> String) -> Result<T, StepFailure> {
        self.map_err(|error| StepFailure::new(name(), error))
    }
}
