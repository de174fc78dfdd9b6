//! The marks that a judge gave the run of one cell.

use serde::{Deserialize, Serialize};

use crate::domain::usage::MicroDollars;

/// The marks of a cell's judge.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct JudgedCell {
    /// The judge by what makes it another one: a model's name, or a recording's with its digest.
    pub judge: String,
    /// The stages that have a score, in their order.
    pub stages: Vec<JudgedStage>,
    /// Tokens and money of the judge, which are a part of the cell's.
    pub tokens: u64,
    /// Absent where it is not known.
    pub cost: Option<MicroDollars>,
    /// Why marks lack, where some do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lacks: Option<String>,
}

/// The marks of one stage, each from 0 to 1.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JudgedStage {
    pub stage: String,
    /// The mean over the references.
    pub score: f64,
    /// The score of a document that says nothing; absent where the judge was not asked for it. So is the ceiling.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub floor: Option<f64>,
    /// The score that people reach among themselves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ceiling: Option<f64>,
}
