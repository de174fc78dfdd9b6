//! The quantities of a published result that can be computed again.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One quantity of a published result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Quantity {
    Estimate,
    StandardError,
    Interval,
    Statistic,
    PValue,
    /// The number of observations.
    SampleSize,
}

impl Quantity {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Estimate => "estimate",
            Self::StandardError => "standard error",
            Self::Interval => "interval",
            Self::Statistic => "statistic",
            Self::PValue => "p",
            Self::SampleSize => "n",
        }
    }

    /// Whether SCORE has a rule for it; the other rules are ours.
    pub fn is_in_score(self) -> bool {
        !matches!(self, Self::StandardError | Self::Interval)
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}
