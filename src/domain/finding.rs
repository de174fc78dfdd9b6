//! One statistical finding, of an original study or of its replication.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::scale::{RatioKind, Scale};
use super::statistic::Statistic;

/// The sign of an effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    Positive,
    Negative,
}

impl Direction {
    /// The sign of a number; zero and NaN have none.
    pub fn from_value(value: f64) -> Option<Self> {
        if value > 0.0 {
            Some(Self::Positive)
        } else if value < 0.0 {
            Some(Self::Negative)
        } else {
            None
        }
    }
}

impl fmt::Display for Direction {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Self::Positive => "positive",
            Self::Negative => "negative",
        })
    }
}

/// A confidence interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Interval {
    pub lower: f64,
    pub upper: f64,
    /// Coverage between 0 and 1, such as 0.95.
    pub level: f64,
}

/// The sign before the digits of a p-value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(description = "What comes before the digits of a p-value.")]
pub enum Relation {
    #[serde(rename = "=")]
    Equal,
    #[serde(rename = "<")]
    Less,
    #[serde(rename = ">")]
    Greater,
}

/// A p-value as reported: exact, or a bound.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PValue {
    pub relation: Relation,
    pub value: f64,
}

impl PValue {
    /// Whether the p-value is below `alpha`; `None` when the bound does not tell.
    pub fn below(self, alpha: f64) -> Option<bool> {
        match self.relation {
            Relation::Equal => Some(self.value < alpha),
            Relation::Less if self.value <= alpha => Some(true),
            Relation::Greater if self.value >= alpha => Some(false),
            Relation::Less | Relation::Greater => None,
        }
    }
}

impl fmt::Display for PValue {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = match self.relation {
            Relation::Equal => "=",
            Relation::Less => "<",
            Relation::Greater => ">",
        };
        if self.value != 0.0 && self.value.abs() < 1e-4 {
            write!(formatter, "{sign} {:e}", self.value)
        } else {
            write!(formatter, "{sign} {}", self.value)
        }
    }
}

/// One effect: a name and whatever numbers are known of it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Finding {
    /// The term or outcome, as its source names it.
    pub name: String,
    pub estimate: Option<f64>,
    pub standard_error: Option<f64>,
    pub interval: Option<Interval>,
    pub p_value: Option<PValue>,
    /// Units of analysis behind the estimate.
    pub n: Option<u64>,
    /// degrees of freedom of its t test; normal theory if absent
    #[serde(skip_serializing_if = "Option::is_none")]
    pub df: Option<f64>,
    /// its test statistic, if one is given
    #[serde(skip_serializing_if = "Option::is_none")]
    pub statistic: Option<Statistic>,
    /// sides of its p-value, 1 or 2, if known
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sides: Option<u8>,
    /// The side that a one-sided test looks at.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub alternative: Option<Direction>,
    /// How the p-value was raised for others of its family, as its source says it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub adjusted: Option<String>,
    /// What the estimate measures, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub scale: Option<Scale>,
    /// Which ratio the estimate, or what it is the logarithm of, is.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub ratio: Option<RatioKind>,
    /// The groups that it compares.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(skip)]
    pub groups: Vec<Group>,
    /// Whether the interval is a credible one.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schemars(skip)]
    pub credible: bool,
    /// The model's own name of the term, where code recorded it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub coefficient: Option<String>,
    /// The outcome and the model, as code recorded them.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub outcome: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub model: Option<String>,
}

/// One group of a comparison.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Group {
    pub name: String,
    pub mean: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sd: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub n: Option<u64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_decides_only_what_it_can() {
        let p = |relation, value| PValue { relation, value };
        assert_eq!(p(Relation::Less, 0.001).below(0.05), Some(true));
        assert_eq!(p(Relation::Less, 0.1).below(0.05), None);
        assert_eq!(p(Relation::Greater, 0.05).below(0.05), Some(false));
        assert_eq!(p(Relation::Greater, 0.01).below(0.05), None);
        assert_eq!(p(Relation::Equal, 0.05).below(0.05), Some(false));
    }
}
