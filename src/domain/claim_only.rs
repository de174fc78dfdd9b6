//! The claim-only track: whether a claim will replicate, said from its text alone.

use serde::{Deserialize, Serialize};

/// The track's name, and that of the agent which goes through it.
pub const TRACK: &str = "claim-only";

/// The agent in a few words.
pub const ABOUT: &str = "the outcome guessed from the claim, without paper, data or tools";

/// The grader's name: predictions against the labels that people gave.
pub const GRADER: &str = "claim-prediction";

/// A guess at the outcome of a replication.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Prediction {
    pub verdict: PredictedVerdict,
    /// The stated chance that the verdict is right, from 0 to 1.
    pub confidence: f64,
    pub reasons: String,
}

/// A verdict that nothing but a claim stands behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PredictedVerdict {
    Met,
    Unmet,
}

impl PredictedVerdict {
    /// The word as it is written in files.
    pub fn word(self) -> &'static str {
        match self {
            Self::Met => "met",
            Self::Unmet => "unmet",
        }
    }
}
