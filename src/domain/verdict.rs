//! The verdict of the preregistered rule on a finding.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::condition::Condition;
use super::criterion::Criterion;
use super::doubt::{Doubt, DoubtCause};
use super::finding::Finding;

/// The outcome of the rule.
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

/// The outcome that people found who replicated a study: the words of `study.toml` and of a
/// file of labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
    pub fn parse(word: &str) -> Option<Self> {
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
    /// Why it is left open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<DoubtCause>,
    /// What speaks against its numbers, those that decided first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub doubts: Vec<Doubt>,
    /// Each condition of the criterion, where there are several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<ConditionOutcome>,
    /// Where the plan departs from the rule that holds for every study, with its reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub departure: Option<String>,
    /// Where the deciding numbers were taken from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<NumberSource>,
}

/// The source of a verdict's numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NumberSource {
    /// `results.jsonl`, written by the code that was run.
    Recorded,
    /// A line of the output that names the term.
    Printed,
    /// The agent's report, found somewhere in the output.
    Reported,
}

impl NumberSource {
    /// The words used in reports.
    pub fn words(self) -> &'static str {
        match self {
            Self::Recorded => "recorded by the code in results.jsonl",
            Self::Printed => "read from the printed line of the term",
            Self::Reported => "from the agent's report, found in the output",
        }
    }
}

/// One condition of a criterion and what the numbers say of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ConditionOutcome {
    pub condition: Condition,
    pub outcome: Outcome,
    /// One clause with the numbers.
    pub reason: String,
    /// Whether it counts; else it is reported beside.
    pub decides: bool,
}

impl Verdict {
    /// A verdict without doubts and conditions.
    pub fn plain(outcome: Outcome, reason: impl Into<String>) -> Self {
        Self {
            outcome,
            reason: reason.into(),
            criterion: None,
            finding: None,
            agent: None,
            cause: None,
            doubts: Vec::new(),
            conditions: Vec::new(),
            departure: None,
            source: None,
        }
    }

    /// Whether the agent concluded something else than the rule does.
    pub fn is_disputed(&self) -> bool {
        self.agent.is_some_and(|agent| agent != self.outcome)
    }
}
