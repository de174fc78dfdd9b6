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

/// How people who replicated a study ended: the words of `study.toml` and of a
/// file of labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HumanLabel {
    Met,
    Unmet,
    /// Neither as a whole; no verdict can equal it.
    Mixed,
}

impl HumanLabel {
    /// Every label.
    pub const ALL: [Self; 3] = [Self::Met, Self::Unmet, Self::Mixed];

    /// The label of a word.
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|label| label.word() == word)
    }

    /// The word as written in files.
    pub fn word(self) -> &'static str {
        match self {
            Self::Met => "met",
            Self::Unmet => "unmet",
            Self::Mixed => "mixed",
        }
    }

    /// All words, for whoever wrote another.
    pub fn words() -> String {
        Self::ALL.map(|label| format!("`{}`", label.word())).join(", ")
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
