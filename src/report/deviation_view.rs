//! A deviation in the words of a table.

use serde::{Deserialize, Serialize};

use crate::verdict::deviation::Deviation;

/// One row; absent words are none that were given.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DeviationView {
    pub what: String,
    pub kind: String,
    pub when: String,
    pub why: Option<String>,
    /// `yes`, `no` or `not known`.
    pub could_change: String,
    pub plan: Option<String>,
    pub code: Option<String>,
    pub report: Option<String>,
}

impl DeviationView {
    pub fn from_deviation(deviation: &Deviation) -> Self {
        Self {
            what: deviation.what.clone(),
            kind: deviation.kind.words().to_owned(),
            when: deviation.when.words().to_owned(),
            why: deviation.why.clone(),
            could_change: match deviation.could_change {
                Some(true) => "yes",
                Some(false) => "no",
                None => "not known",
            }
            .to_owned(),
            plan: deviation.plan.clone(),
            code: deviation.code.clone(),
            report: deviation.report.clone(),
        }
    }
}
