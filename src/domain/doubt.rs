//! Doubts about a number that a verdict rests on.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The kind of a doubt, as counts and later readers use it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DoubtCause {
    /// A number that the rule needs is not there.
    Missing,
    /// No line that names the term holds the number.
    Term,
    /// Several results of the same name decide differently.
    Several,
    /// A p-value that its own estimate, error or statistic do not give.
    PValue,
    /// A statistic that is not the estimate over its error.
    Statistic,
    /// An interval that does not go with estimate, error or p-value.
    Interval,
    /// It is not known, or wrong, how many sides a p-value has.
    Sides,
    /// A bound on a p-value that does not tell.
    Bound,
    /// A ratio read as a difference, or the reverse.
    Scale,
    /// A statistic without a sign, and nothing beside it that has one.
    Direction,
    /// Rows used against rows read and excluded.
    SampleSize,
    /// The agent reports other numbers than its code recorded.
    Report,
    /// Other data were opened than planned, or none.
    Data,
    /// The result is of another model than planned.
    Model,
    /// The plan says another direction than the claim.
    Claim,
    /// The original's own numbers, given as the replication's.
    OriginalNumbers,
    /// The number does not come from the data.
    NotFromData,
    /// The reruns do not fit what the result says that it is.
    NotAsPlanned,
    /// It jumps when the data change a little.
    Unstable,
    /// Another result was seen before the code or the plan was changed.
    ChangedAfterResult,
    /// Met by a weaker rule only.
    WeakerRule,
    /// The rule leaves it open.
    Rule,
    /// Nothing was planned, or nothing ran.
    NothingRun,
}

impl DoubtCause {
    /// The words that a verdict line uses.
    pub fn words(self) -> &'static str {
        match self {
            Self::Missing => "a number is missing",
            Self::Term => "no result of the term",
            Self::Several => "several results that disagree",
            Self::PValue => "the p-value does not fit",
            Self::Statistic => "the statistic does not fit",
            Self::Interval => "the interval does not fit",
            Self::Sides => "the sides of the p-value",
            Self::Bound => "a bound that does not decide",
            Self::Scale => "the scale of the estimate",
            Self::Direction => "no direction",
            Self::SampleSize => "the sample size",
            Self::Report => "the report differs from the results",
            Self::Data => "other data than planned",
            Self::Model => "another model than planned",
            Self::Claim => "another claim than the original's",
            Self::OriginalNumbers => "the original's own numbers",
            Self::NotFromData => "not from the data",
            Self::NotAsPlanned => "the reruns contradict the name of the result",
            Self::Unstable => "unstable when the data change",
            Self::ChangedAfterResult => "the code was changed after a result was seen",
            Self::WeakerRule => "met by a weaker rule only",
            Self::Rule => "the rule leaves it open",
            Self::NothingRun => "nothing was run",
        }
    }
}

impl fmt::Display for DoubtCause {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.words())
    }
}

/// One thing that speaks against a number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Doubt {
    pub cause: DoubtCause,
    /// One sentence with both numbers.
    pub detail: String,
    /// Whether the verdict could be another one for it.
    pub decides: bool,
    /// The code files that it is about, if it is about a change of code.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
}

impl Doubt {
    /// A doubt that is not about a change of code.
    pub fn new(cause: DoubtCause, detail: impl Into<String>, decides: bool) -> Self {
        Self {
            cause,
            detail: detail.into(),
            decides,
            files: Vec::new(),
        }
    }

    /// A doubt that the verdict does not hang on.
    pub fn beside(cause: DoubtCause, detail: impl Into<String>) -> Self {
        Self::new(cause, detail, false)
    }

    /// A doubt that leaves the verdict open.
    pub fn deciding(cause: DoubtCause, detail: impl Into<String>) -> Self {
        Self::new(cause, detail, true)
    }
}
