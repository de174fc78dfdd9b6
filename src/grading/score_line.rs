//! Scored lines, and the numbers that stand for a whole score.

use serde::{Deserialize, Serialize};

use crate::domain::finding::Interval;

/// One scored checkpoint or field.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScoreLine {
    /// The stage or aspect that the line is listed under.
    pub group: String,
    pub key: String,
    pub label: String,
    /// `None` when unscored; `note` then says why.
    pub value: Option<f64>,
    pub max: f64,
    /// The evidence behind the value, or the reason why there is none.
    pub note: String,
}

/// A number that stands for a whole score, with what is needed to read it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Headline {
    pub label: String,
    /// `None` when unscored; `note` then says why.
    pub value: Option<f64>,
    /// The best possible value.
    pub max: f64,
    /// Units behind the value.
    pub n: u64,
    /// Lines that were scored, of `total`.
    pub scored: u64,
    pub total: u64,
    pub interval: Option<Interval>,
    /// The score of a trivial answer.
    pub baseline: Option<Baseline>,
    pub note: String,
}

/// The score of a trivial answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Baseline {
    /// The trivial answer, such as `every field "not stated"`.
    pub label: String,
    pub value: f64,
}
