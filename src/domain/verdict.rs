//! The preregistered rule and what it says of a finding.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::finding::{Direction, Finding};

/// The rule that was fixed before the data were analysed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Criterion {
    /// The coefficient or contrast that decides.
    pub focal_term: String,
    /// The sign that the claim gives it.
    pub direction: Direction,
    /// The significance level, between 0 and 1.
    pub alpha: f64,
    /// Whether the test is two-sided.
    pub two_sided: bool,
}

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
    pub criterion: Option<Criterion>,
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

impl Criterion {
    /// Applies the rule to a finding.
    ///
    /// A one-sided test halves an exact two-sided p-value when the sign agrees,
    /// and cannot be met when it does not. Source: the SCORE project's rule,
    /// significance at `alpha` and the original's direction.
    pub fn judge(&self, finding: &Finding) -> (Outcome, String) {
        let Some(estimate) = finding.estimate.filter(|value| value.is_finite()) else {
            return (
                Outcome::Inconclusive,
                format!("no estimate of `{}` was reported", self.focal_term),
            );
        };
        let Some(p_value) = finding.p_value.filter(|p| (0.0..=1.0).contains(&p.value)) else {
            return (
                Outcome::Inconclusive,
                format!(
                    "`{}` is {estimate}, and no p-value was reported for it",
                    self.focal_term
                ),
            );
        };
        let agrees = Direction::of(estimate) == Some(self.direction);
        let alpha = if self.two_sided {
            self.alpha
        } else {
            2.0 * self.alpha
        };
        let sides = if self.two_sided { "two-sided" } else { "one-sided" };
        let Some(significant) = p_value.below(alpha) else {
            return (
                Outcome::Inconclusive,
                format!(
                    "p {p_value} does not tell whether the {sides} test passes at {}",
                    self.alpha
                ),
            );
        };
        let outcome = if significant && agrees {
            Outcome::Met
        } else {
            Outcome::Unmet
        };
        let sign = if agrees { "has" } else { "does not have" };
        let level = if significant { "below" } else { "not below" };
        let reason = format!(
            "`{}` is {estimate}, which {sign} the {} sign of the claim, with p {p_value}, {level} {} ({sides})",
            self.focal_term, self.direction, self.alpha
        );
        (outcome, reason)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::finding::{PValue, Relation};

    fn judge(estimate: Option<f64>, p: Option<f64>, two_sided: bool) -> Outcome {
        let criterion = Criterion {
            focal_term: "income".into(),
            direction: Direction::Positive,
            alpha: 0.05,
            two_sided,
        };
        let finding = Finding {
            estimate,
            p_value: p.map(|value| PValue {
                relation: Relation::Equal,
                value,
            }),
            ..Finding::default()
        };
        criterion.judge(&finding).0
    }

    #[test]
    fn sign_and_significance_both_count() {
        assert_eq!(judge(Some(0.00136), Some(3e-8), true), Outcome::Met);
        assert_eq!(judge(Some(0.801), Some(0.916), true), Outcome::Unmet);
        assert_eq!(judge(Some(-0.5), Some(0.001), true), Outcome::Unmet);
        assert_eq!(judge(Some(0.5), Some(0.08), true), Outcome::Unmet);
        assert_eq!(judge(Some(0.5), Some(0.08), false), Outcome::Met);
    }

    #[test]
    fn missing_numbers_are_not_unmet() {
        assert_eq!(judge(None, Some(0.01), true), Outcome::Inconclusive);
        assert_eq!(judge(Some(1.0), None, true), Outcome::Inconclusive);
        assert_eq!(judge(Some(f64::NAN), Some(0.01), true), Outcome::Inconclusive);
    }
}
