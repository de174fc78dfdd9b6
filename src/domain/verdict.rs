//! What the preregistered rule says of a finding.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::criterion::Criterion;
use super::finding::Finding;

/// What the rule says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The preregistered criterion is met.
    Met,
    /// The preregistered criterion is not met.
    Unmet,
    /// The numbers that the rule needs are missing or do not decide it.
    Inconclusive,
    /// What was estimated is not what the rule is about.
    NotComparable,
}

impl Outcome {
    /// The words used in reports.
    pub fn words(self) -> &'static str {
        match self {
            Self::Met => "criterion met",
            Self::Unmet => "criterion not met",
            Self::Inconclusive => "inconclusive",
            Self::NotComparable => "not comparable",
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.words())
    }
}

/// The verdict of a run: the rule applied to the numbers, with the agent's own
/// conclusion beside it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    pub outcome: Outcome,
    /// One sentence with the numbers that decided.
    pub reason: String,
    /// Absent when the preregistration named no usable rule.
    pub criterion: Option<Box<Criterion>>,
    /// The finding that the rule was applied to.
    pub finding: Option<Finding>,
    /// What the agent concluded, read from its interpretation.
    pub agent: Option<Outcome>,
}

impl Verdict {
    /// Whether the agent concluded something else than the rule does.
    pub fn is_disputed(&self) -> bool {
        self.agent.is_some_and(|agent| agent != self.outcome)
    }
}
