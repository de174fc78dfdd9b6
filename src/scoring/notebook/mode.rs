//! Modes of grading.

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};

/// A mode of grading.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum GradingMode {
    /// To the letter.
    Published,
    /// As the paper means it: the gold says what counts.
    Gold {
        /// The share of the gold that a number may differ by, in place of 0.01.
        relative: Option<f64>,
    },
    /// Ours.
    Strict,
}

/// A name that is no mode's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no mode of grading: `published`, `gold` or `strict`")]
pub struct UnknownMode(String);

impl FromStr for GradingMode {
    type Err = UnknownMode;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "published" => Ok(Self::Published),
            "gold" => Ok(Self::Gold { relative: None }),
            "strict" => Ok(Self::Strict),
            other => Err(UnknownMode(other.to_owned())),
        }
    }
}

impl fmt::Display for GradingMode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Published => formatter.write_str("published"),
            Self::Gold { relative: None } => formatter.write_str("gold"),
            Self::Gold {
                relative: Some(share),
            } => write!(formatter, "gold, relative {share}"),
            Self::Strict => formatter.write_str("strict"),
        }
    }
}

impl Serialize for GradingMode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
