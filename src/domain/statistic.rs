//! A test statistic with its degrees of freedom.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::excerpt;

/// The distribution or the test that a statistic belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StatisticKind {
    T,
    Z,
    F,
    ChiSquared,
    /// A correlation coefficient.
    R,
    /// Of a test that has no table here, such as U, W or H; with its name.
    Other(String),
}

impl StatisticKind {
    /// A kind by the names that programs and people use.
    pub fn parse(name: &str) -> Self {
        match name.trim().to_lowercase().as_str() {
            "t" | "t-value" | "t value" => Self::T,
            "z" | "z-value" | "z value" => Self::Z,
            "f" | "f-value" | "f value" => Self::F,
            "chi2" | "chisq" | "chi-squared" | "chi-square" | "x2" | "x-squared" | "χ2" | "χ²" => {
                Self::ChiSquared
            }
            "r" => Self::R,
            _ => Self::Other(excerpt::start(name.trim(), 20).to_owned()),
        }
    }

    /// The name in result lines.
    pub fn name(&self) -> &str {
        match self {
            Self::T => "t",
            Self::Z => "z",
            Self::F => "F",
            Self::ChiSquared => "chi2",
            Self::R => "r",
            Self::Other(name) => name,
        }
    }

    /// Whether its sign is that of an effect.
    pub fn is_signed(&self) -> bool {
        matches!(self, Self::T | Self::Z | Self::R)
    }
}

impl fmt::Display for StatisticKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

impl Serialize for StatisticKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for StatisticKind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(|name| Self::parse(&name))
    }
}

impl JsonSchema for StatisticKind {
    fn schema_name() -> Cow<'static, str> {
        "StatisticKind".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "description": "t, z, F, chi2, r, or another test's letter"})
    }
}

/// Degrees of freedom: none, one, or numerator and denominator.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(transparent)]
pub struct DegreesOfFreedom(pub Vec<f64>);

impl DegreesOfFreedom {
    pub fn one(df: f64) -> Self {
        Self(vec![df])
    }

    pub fn two(numerator: f64, denominator: f64) -> Self {
        Self(vec![numerator, denominator])
    }

    /// Whether none is given.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The one number that a t or chi-squared statistic has, or the denominator of F.
    pub fn last(&self) -> Option<f64> {
        self.0.last().copied()
    }
}

impl<'de> Deserialize<'de> for DegreesOfFreedom {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            One(f64),
            Several(Vec<f64>),
            Absent(()),
        }
        Ok(Self(match Written::deserialize(deserializer)? {
            Written::One(df) => vec![df],
            Written::Several(df) => df.into_iter().take(2).collect(),
            Written::Absent(()) => Vec::new(),
        }))
    }
}

impl JsonSchema for DegreesOfFreedom {
    fn schema_name() -> Cow<'static, str> {
        "DegreesOfFreedom".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": ["number", "array", "null"],
            "items": {"type": "number"},
            "description": "a number; [numerator, denominator] for F"
        })
    }
}

/// A test statistic.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Statistic {
    pub kind: StatisticKind,
    pub value: f64,
    #[serde(default, skip_serializing_if = "DegreesOfFreedom::is_empty")]
    pub df: DegreesOfFreedom,
}

impl Statistic {
    /// Whether its sign is that of an effect: t, z and r, but F and chi-squared of
    /// one degree of freedom only in size.
    pub fn is_signed(&self) -> bool {
        self.kind.is_signed()
    }
}

impl fmt::Display for Statistic {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let df: Vec<String> = self.df.0.iter().map(ToString::to_string).collect();
        let df = if df.is_empty() {
            String::new()
        } else {
            format!("({})", df.join(", "))
        };
        write!(formatter, "{}{df} = {}", self.kind, self.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_read_as_programs_write_it() {
        let read = |text: &str| serde_json::from_str::<Statistic>(text).unwrap();
        let f = read(r#"{"kind": "F", "value": 7.7, "df": [1, 204]}"#);
        assert_eq!(f.to_string(), "F(1, 204) = 7.7");
        assert!(!f.is_signed());
        let t = read(r#"{"kind": "t", "value": -2, "df": 98}"#);
        assert!(t.is_signed() && t.df.last() == Some(98.0));
        let u = read(r#"{"kind": "U", "value": 31, "df": null}"#);
        assert_eq!((u.kind.name(), u.df.is_empty()), ("U", true));
        assert_eq!(
            serde_json::to_value(&u).unwrap(),
            serde_json::json!({"kind": "U", "value": 31.0})
        );
    }
}
