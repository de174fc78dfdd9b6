//! A build that was stopped.

use crate::domain::execution::BuildFailure;
use crate::domain::failure::FailureCause;
use crate::sandbox::failure::infrastructure;

/// A build that was ended rather than one that failed.
pub fn stopped(cause: FailureCause, summary: &str, log: String) -> BuildFailure {
    BuildFailure {
        cause,
        ..infrastructure(summary, log)
    }
}
