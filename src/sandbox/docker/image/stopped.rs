//! Builds that were ended rather than ones that failed.

use std::time::Duration;

use crate::domain::execution::BuildFailure;
use crate::domain::failure::FailureCause;
use crate::sandbox::failure::infrastructure;

fn stopped(cause: FailureCause, summary: String, log: String) -> BuildFailure {
    BuildFailure {
        cause,
        ..infrastructure(summary, log)
    }
}

/// The run was cancelled.
pub fn cancelled(log: String) -> BuildFailure {
    stopped(
        FailureCause::Cancelled,
        "The build was cancelled.".to_owned(),
        log,
    )
}

/// The total time was used up.
pub fn too_long(limit: Duration, log: String) -> BuildFailure {
    stopped(
        FailureCause::Timeout,
        format!("The build took longer than {} seconds.", limit.as_secs()),
        log,
    )
}

/// Nothing was heard for the time that a build may be silent.
pub fn silent(limit: Duration, log: String) -> BuildFailure {
    stopped(
        FailureCause::Timeout,
        format!(
            "The build was ended because nothing happened for {} seconds.",
            limit.as_secs()
        ),
        log,
    )
}
