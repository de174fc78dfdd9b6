//! One condition of a criterion: a test of one term.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::claimed_effect::ClaimedEffect;
use super::scale::Scale;

/// The test of a condition.
// The schema keeps its sentence, which recorded prompts hold.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(description = "How a condition is tested.")]
pub enum Test {
    /// p below the level, with the sign or the pattern.
    #[default]
    Significance,
    /// Significantly within ± `sesoi`, by two one-sided tests.
    Equivalence,
    /// `term` minus `minus`, two coefficients of independent estimates, by significance and sign.
    Difference,
    /// The reported interval, such as a credible one, leaves out the null on the sign's side.
    IntervalExcludes,
    /// Not worse than the null by `margin`: one bound of the interval.
    NonInferiority,
}

impl Test {
    /// The word in sentences.
    pub fn words(self) -> &'static str {
        match self {
            Self::Significance => "significance",
            Self::Equivalence => "equivalence",
            Self::Difference => "the difference of two coefficients",
            Self::IntervalExcludes => "an interval that excludes the null",
            Self::NonInferiority => "non-inferiority",
        }
    }
}

/// A test of one term.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Condition {
    /// the coefficient or contrast, as the results name it
    #[serde(alias = "focal_term")]
    pub term: String,
    #[serde(default, skip_serializing_if = "is_default")]
    pub test: Test,
    /// positive, negative, or none if no effect is claimed or a pattern has the direction
    #[serde(default = "none", alias = "direction")]
    pub sign: ClaimedEffect,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<Scale>,
    /// the value of no effect; if absent 0, or 1 for a ratio
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub null: Option<f64>,
    /// significance level
    #[serde(default = "usual_level", alias = "alpha")]
    pub level: f64,
    /// 1 or 2
    #[serde(default = "two")]
    pub sides: u8,
    /// groups or terms in the claimed order, the largest mean first
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub greater: Vec<String>,
    /// the term whose sign gives an unsigned statistic its direction
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contrast: Option<String>,
    /// for difference: the other coefficient
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minus: Option<String>,
    /// for equivalence: the smallest effect of interest, above zero
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sesoi: Option<f64>,
    /// for non-inferiority: above zero
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub margin: Option<f64>,
}

impl Condition {
    /// Significance of a term, with its sign.
    pub fn significance(
        term: impl Into<String>,
        sign: impl Into<ClaimedEffect>,
        level: f64,
        sides: u8,
    ) -> Self {
        Self {
            term: term.into(),
            test: Test::Significance,
            sign: sign.into(),
            scale: None,
            null: None,
            level,
            sides,
            greater: Vec::new(),
            contrast: None,
            minus: None,
            sesoi: None,
            margin: None,
        }
    }

    /// What keeps it from being tested.
    pub fn misfits(&self) -> Vec<ConditionMisfit> {
        let mut found = Vec::new();
        let mut misfit = |key, problem: String, expected| {
            found.push(ConditionMisfit {
                key,
                problem,
                expected,
            });
        };
        if self.term.trim().is_empty() {
            misfit(
                "term",
                "it is empty".to_owned(),
                "the coefficient or contrast as the results name it",
            );
        }
        if !(self.level > 0.0 && self.level < 0.5) {
            misfit(
                "level",
                format!("the level {} is not usable", self.level),
                "a significance level above 0 and below 0.5, such as 0.05",
            );
        }
        if !matches!(self.sides, 1 | 2) {
            misfit("sides", format!("a test has no {} sides", self.sides), "1 or 2");
        }
        if let Some(null) = self
            .null
            .filter(|null| !null.is_finite() || (self.scale == Some(Scale::Ratio) && *null <= 0.0))
        {
            misfit(
                "null",
                format!("{null} is no value of no effect"),
                "a number on the scale, such as 0, or 1 of a ratio",
            );
        }
        let positive = |value: Option<f64>| value.is_some_and(|value| value > 0.0 && value.is_finite());
        match self.test {
            Test::Equivalence if !positive(self.sesoi) => misfit(
                "sesoi",
                "equivalence needs the smallest effect of interest".to_owned(),
                "a number above zero, in the scale's unit",
            ),
            Test::NonInferiority if !positive(self.margin) => misfit(
                "margin",
                "non-inferiority needs its margin".to_owned(),
                "a number above zero, in the scale's unit",
            ),
            Test::Difference if self.minus.as_deref().is_none_or(|minus| minus.trim().is_empty()) => misfit(
                "minus",
                "a difference needs its other coefficient".to_owned(),
                "the term that is subtracted",
            ),
            _ => {}
        }
        if self.greater.len() == 1 {
            misfit(
                "greater",
                "an order needs two names or more".to_owned(),
                "the groups in the claimed order, the largest mean first",
            );
        }
        let directed = self.sign.sign().is_some() || self.greater.len() > 1 || self.contrast.is_some();
        if self.test != Test::Equivalence && !directed {
            misfit(
                "sign",
                format!("{} needs the direction of the claim", self.test.words()),
                "positive or negative; or the order of the groups in `greater`; or, where no effect is claimed, the test equivalence",
            );
        }
        let pointed = self.greater.len() > 1 || self.contrast.is_some();
        if self.test == Test::Significance && self.scale == Some(Scale::Unsigned) && !pointed {
            misfit(
                "greater",
                "an unsigned statistic has no direction of its own".to_owned(),
                "the order of the groups in `greater`, or the `contrast` whose sign decides",
            );
        }
        found
    }
}

/// One thing that keeps a condition from being tested.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConditionMisfit {
    pub key: &'static str,
    /// What is wrong.
    pub problem: String,
    /// What would be right.
    pub expected: &'static str,
}

fn is_default(test: &Test) -> bool {
    *test == Test::default()
}

fn none() -> ClaimedEffect {
    ClaimedEffect::NoEffect
}

fn usual_level() -> f64 {
    0.05
}

fn two() -> u8 {
    2
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(text: &str) -> Vec<&'static str> {
        let condition: Condition = serde_json::from_str(text).unwrap();
        condition.misfits().into_iter().map(|misfit| misfit.key).collect()
    }

    #[test]
    fn what_cannot_be_tested_is_named() {
        assert_eq!(keys(r#"{"term": "a", "sign": "positive"}"#), [""; 0]);
        assert_eq!(keys(r#"{"term": "a"}"#), ["sign"]);
        assert_eq!(keys(r#"{"term": "a", "test": "equivalence"}"#), ["sesoi"]);
        assert_eq!(
            keys(r#"{"term": "a", "test": "equivalence", "sesoi": 0.1}"#),
            [""; 0]
        );
        assert_eq!(
            keys(r#"{"term": "a", "test": "difference", "sign": "negative"}"#),
            ["minus"]
        );
        assert_eq!(
            keys(r#"{"term": "F", "scale": "unsigned", "sign": "positive"}"#),
            ["greater"]
        );
        assert_eq!(
            keys(r#"{"term": "F", "scale": "unsigned", "greater": ["a", "b"]}"#),
            [""; 0]
        );
        assert_eq!(
            keys(r#"{"term": " ", "sign": "positive", "level": 5, "sides": 3}"#),
            ["term", "level", "sides"]
        );
    }
}
