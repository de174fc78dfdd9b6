//! The units of two estimates, by which they can be compared as they stand or not.

use serde::{Deserialize, Serialize};

/// The relation of two estimates' units.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "scale", rename_all = "snake_case")]
pub enum ScaleRelation {
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
