//! The id of a case of a gold set.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::domain::excerpt;

/// Longest name of a case, in characters.
const LONGEST: usize = 200;

/// A case's id: a whole number as in the released gold set, or a study's name.
/// A name that is a whole number is that number.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(untagged, try_from = "Value")]
pub enum CaseId {
    Number(i64),
    Name(String),
}

impl CaseId {
    /// The id that a JSON value gives; `None` of what is neither a whole number nor a name.
    pub fn read(value: &Value) -> Option<Self> {
        match value {
            Value::Number(number) => number.as_i64().map(Self::Number),
            Value::String(text) => Self::named(text),
            _ => None,
        }
    }

    fn named(text: &str) -> Option<Self> {
        let text = text.trim();
        if let Ok(number) = text.parse() {
            return Some(Self::Number(number));
        }
        let fits = !text.is_empty() && text.chars().count() <= LONGEST;
        fits.then(|| Self::Name(text.to_owned()))
    }
}

/// A value that names no case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a case is a whole number or a name")]
pub struct NoCase;

impl TryFrom<Value> for CaseId {
    type Error = NoCase;

    fn try_from(value: Value) -> Result<Self, NoCase> {
        Self::read(&value).ok_or(NoCase)
    }
}

impl From<i64> for CaseId {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

impl From<&str> for CaseId {
    fn from(text: &str) -> Self {
        Self::named(text).unwrap_or_else(|| Self::Name(excerpt::start(text, LONGEST).to_owned()))
    }
}

impl fmt::Display for CaseId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(formatter),
            Self::Name(name) => formatter.pad(name),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::scoring::url_match::case::*;

    #[test]
    fn numbers_are_one_however_they_are_written() {
        assert_eq!(CaseId::read(&json!(7)), CaseId::read(&json!(" 07 ")));
        assert_eq!(CaseId::read(&json!("duncan-1961")), Some("duncan-1961".into()));
        for wrong in [
            json!(null),
            json!(true),
            json!(1.5),
            json!(" "),
            json!("x".repeat(201)),
        ] {
            assert_eq!(CaseId::read(&wrong), None, "{wrong}");
        }
        assert_eq!(serde_json::to_value(CaseId::from(7)).unwrap(), json!(7));
        assert_eq!(serde_json::from_value::<CaseId>(json!("7")).unwrap(), 7.into());
    }
}
