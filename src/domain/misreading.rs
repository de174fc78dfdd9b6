//! Misreadings: evidence of reruns on changed data against the stated meaning of a result.

use serde::{Deserialize, Serialize};

/// The part of a result's meaning that the reruns speak against.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Facet {
    /// Permuted results do not lie about no effect.
    Centre,
    /// Permuted results pass the test far too often.
    Significance,
    /// Permuted results are wider than their errors say.
    Spread,
    /// One column of an interaction has no part in it.
    Part,
    /// The outcome of the plan is not that of the model, or not that alone.
    Outcome,
    /// The sign is turned round.
    Direction,
    /// Figures stand under the name of another group.
    Groups,
    /// The recorded model gives another estimate on the data.
    Recomputed,
}

/// One finding against what a result says that it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Misreading {
    pub facet: Facet,
    /// One sentence with the numbers, without its full stop.
    pub detail: String,
    /// Whether the verdict could be another one for it.
    pub decides: bool,
}
