//! An obstacle on the way to a result.

use serde::Serialize;

use super::source::ActPlace;

/// Something that failed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Obstacle {
    pub at: ActPlace,
    /// `build`, `execution` or `command`.
    pub what: &'static str,
    /// One of the closed causes of failure; absent of a command in a shell, whose exit status is all
    /// that is known.
    pub cause: Option<&'static str>,
    /// One sentence.
    pub detail: String,
}
