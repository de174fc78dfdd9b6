//! The effect that a claim asserts: its sign, or none.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::finding::Direction;
use super::parameters::Misfit;
use super::rule::Rule;

/// The effect that a claim asserts: one with a sign, or that there is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ClaimedEffect {
    Positive,
    Negative,
    #[serde(rename = "none")]
    NoEffect,
}

impl ClaimedEffect {
    /// The sign that it gives; `None` of a claim of no effect.
    pub fn sign(self) -> Option<Direction> {
        match self {
            Self::Positive => Some(Direction::Positive),
            Self::Negative => Some(Direction::Negative),
            Self::NoEffect => None,
        }
    }

    /// Why a rule cannot decide such a claim, or not with a one-sided test.
    pub fn misfit(self, rule: Rule, two_sided: bool) -> Option<Misfit> {
        if self != Self::NoEffect {
            return None;
        }
        if rule.decides_no_effect() {
            return (!two_sided).then(|| Misfit {
                name: "two_sided",
                problem: "a claim of no effect has no side, so that its test has two".to_owned(),
                expected: "true",
            });
        }
        let why = if rule == Rule::SignificanceAndDirection {
            "since a result that is not significant is no evidence of no effect"
        } else {
            "which asks for the claim's sign"
        };
        Some(Misfit {
            name: "rule",
            problem: format!("a claim of no effect cannot be decided by {rule}, {why}"),
            expected: "equivalence with a `sesoi` in its `unit`; or, where the original's figures are published, \
                       original_in_replication_interval, replication_in_original_interval, prediction_interval, \
                       heterogeneity or correspondence; or, where the claim is of an effect, its sign as the `direction`",
        })
    }
}

impl From<Direction> for ClaimedEffect {
    fn from(sign: Direction) -> Self {
        match sign {
            Direction::Positive => Self::Positive,
            Direction::Negative => Self::Negative,
        }
    }
}

impl fmt::Display for ClaimedEffect {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.sign() {
            Some(sign) => sign.fmt(formatter),
            None => formatter.pad("none"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_written_as_it_is_shown() {
        for claimed in [
            ClaimedEffect::Positive,
            ClaimedEffect::Negative,
            ClaimedEffect::NoEffect,
        ] {
            assert_eq!(serde_json::to_value(claimed).unwrap(), claimed.to_string());
        }
        assert_eq!(
            serde_json::to_value(Direction::Negative).unwrap(),
            serde_json::to_value(ClaimedEffect::from(Direction::Negative)).unwrap()
        );
    }

    #[test]
    fn no_effect_is_decided_by_rules_that_ask_for_no_sign() {
        for rule in Rule::all() {
            let misfit = ClaimedEffect::NoEffect.misfit(rule, true);
            let refused = misfit.map(|misfit| (misfit.name, misfit.problem));
            if rule == Rule::Equivalence || !rule.has_direction() {
                assert_eq!(refused, None, "{rule}");
                let sided = ClaimedEffect::NoEffect.misfit(rule, false).unwrap();
                assert_eq!(sided.name, "two_sided");
            } else {
                let (name, problem) = refused.unwrap();
                assert!(
                    name == "rule" && problem.contains(rule.name()),
                    "{rule}: {problem}"
                );
            }
            assert_eq!(ClaimedEffect::Negative.misfit(rule, false), None);
        }
    }
}
