//! One criterion as a line of a report.

use serde::{Deserialize, Serialize};

use crate::domain::criterion::Criterion;
use crate::domain::finding::Interval;
use crate::domain::rule::Rule;
use crate::domain::verdict::Outcome;
use crate::verdict::criteria::assessment::Assessment;

use crate::domain::format;

/// One criterion.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CriterionLine {
    pub rule: Rule,
    pub name: String,
    /// True if the preregistration makes it decide.
    pub primary: bool,
    pub value: Option<f64>,
    /// The value's name.
    pub value_name: String,
    pub interval: Option<Interval>,
    /// Absent where the criterion does not decide or does not apply.
    pub met: Option<bool>,
    /// One sentence with the numbers, or why it does not apply.
    pub sentence: String,
    pub source: String,
}

/// The decision of a verdict's rule on the replication.
#[derive(Debug, Clone, Copy)]
pub struct RuleDecision<'a> {
    pub criterion: Option<&'a Criterion>,
    pub outcome: Option<Outcome>,
    pub reason: Option<&'a str>,
}

impl CriterionLine {
    /// The line of an assessment; what decided speaks in the verdict's words.
    pub fn new(assessment: Assessment, decided: RuleDecision<'_>) -> Self {
        let rule = assessment.rule;
        let primary = decided.criterion.is_some_and(|criterion| criterion.rule == rule);
        let by_rule = decided.outcome.filter(|_| primary).map(|outcome| match outcome {
            Outcome::Met => Some(true),
            Outcome::Unmet => Some(false),
            Outcome::Inconclusive | Outcome::NotComparable => None,
        });
        let reason = decided.reason.filter(|_| primary).map(format::sentence);
        Self {
            rule,
            name: rule.name().to_owned(),
            primary,
            value: assessment.value,
            value_name: rule.value_name().to_owned(),
            interval: assessment.interval,
            met: by_rule.unwrap_or(assessment.decision),
            sentence: reason.unwrap_or(assessment.sentence),
            source: rule.source().to_owned(),
        }
    }
}
