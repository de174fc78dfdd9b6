//! The gold answers of a task.

use std::fmt;

use indexmap::IndexMap;
use serde::de::IgnoredAny;

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

    /// The questions, by the first run, in its order; `None` of what is no list of runs.
    pub fn questions(&self) -> Option<Vec<String>> {
        let runs: Vec<IndexMap<String, IgnoredAny>> = serde_json::from_str(&self.0).ok()?;
        Some(runs.into_iter().next()?.into_keys().collect())
    }
}

impl fmt::Debug for GoldRuns {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("GoldRuns(..)")
    }
}
