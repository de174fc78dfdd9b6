//! Whether two estimates can be compared as they stand.

use serde::{Deserialize, Serialize};

/// Whether two estimates are in the same units.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "scale", rename_all = "snake_case")]
pub enum Scale {
    Same,
    /// The reason in words, such as the two units.
    Different {
        why: String,
    },
    /// Not established; the estimates are so far apart in size that they
    /// probably are not, and nothing is computed from both.
    ProbablyDifferent,
    #[default]
    Unknown,
}
