//! A reported value: a number, a text with one in it, or nothing.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use crate::domain::finding::{Interval, PValue, Relation};
use crate::domain::number_text;

/// A value in a report.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Scalar {
    /// Nothing is reported.
    #[default]
    Absent,
    Number(serde_json::Number),
    Text(String),
}

impl Scalar {
    /// The one number that is meant, if any.
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Absent => None,
            Self::Number(number) => number.as_f64().filter(|value| value.is_finite()),
            Self::Text(text) => number_text::single(text).map(|number| number.value),
        }
    }

    /// The text, where it is one.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Absent | Self::Number(_) => None,
        }
    }

    /// Whether nothing is reported.
    pub fn is_absent(&self) -> bool {
        *self == Self::Absent
    }

    /// The number that is meant as it is written, the infinite and NaN included.
    pub fn written(&self) -> Option<f64> {
        self.number().or_else(|| match self {
            Self::Text(text) => text.trim().parse().ok(),
            Self::Absent | Self::Number(_) => None,
        })
    }

    /// The value as a p-value; a number outside 0 to 1 is none.
    pub fn p_value(&self) -> Option<PValue> {
        match self {
            Self::Text(text) => number_text::p_value(text),
            _ => self
                .number()
                .filter(|p| (0.0..=1.0).contains(p))
                .map(|value| PValue {
                    relation: Relation::Equal,
                    value,
                }),
        }
    }

    /// The value as a confidence level between 0 and 1: `95`, `"95%"`, `0.95`.
    pub fn level(&self) -> Option<f64> {
        let value = self.number()?;
        let share = if value > 1.0 { value / 100.0 } else { value };
        (share > 0.0 && share < 1.0).then_some(share)
    }

    /// A whole, positive count.
    pub fn count(&self) -> Option<u64> {
        let value = self.number()?;
        // Counts above 2^53 are no sample sizes, and would round.
        (value >= 1.0 && value.fract() == 0.0 && value < 9_007_199_254_740_992.0).then_some(value as u64)
    }
}

/// The interval of two bounds, when both are numbers in order.
pub fn interval(lower: &Scalar, upper: &Scalar, level: &Scalar) -> Option<Interval> {
    let (lower, upper) = (lower.number()?, upper.number()?);
    (lower <= upper).then(|| Interval {
        lower,
        upper,
        level: level.level().unwrap_or(0.95),
    })
}

impl JsonSchema for Scalar {
    fn schema_name() -> Cow<'static, str> {
        "Scalar".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": ["number", "string", "null"]})
    }
}
