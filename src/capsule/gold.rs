//! The gold answers of a task.

use std::fmt;

/// Gold runs as JSON: a list of objects, each with an answer for every question. Grading reads
/// them; nothing that an agent sees holds them, and neither does a debug print.
#[derive(Clone, PartialEq, Eq)]
pub struct GoldRuns(String);

impl GoldRuns {
    /// Gold as it stands in a file.
    pub fn from_json(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The JSON of all runs.
    pub fn json(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for GoldRuns {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("GoldRuns(..)")
    }
}
