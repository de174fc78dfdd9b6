//! Types and timings of deviations from a plan.

use serde::{Deserialize, Serialize};

/// The part of a plan that a deviation concerns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeviationKind {
    Hypothesis,
    Data,
    SampleSize,
    Exclusions,
    Variables,
    Analysis,
    InferenceCriteria,
    Code,
    Environment,
    Other,
}

impl DeviationKind {
    /// The words in a table.
    pub fn words(self) -> &'static str {
        match self {
            Self::Hypothesis => "hypothesis",
            Self::Data => "data",
            Self::SampleSize => "sample size",
            Self::Exclusions => "exclusions",
            Self::Variables => "variables",
            Self::Analysis => "analysis",
            Self::InferenceCriteria => "inference criteria",
            Self::Code => "code",
            Self::Environment => "environment",
            Self::Other => "other",
        }
    }

    /// The kind of a part of `replication_info.json`, by its JSON pointer.
    pub fn from_pointer(pointer: &str) -> Self {
        let has = |part: &str| pointer.contains(part);
        if has("/criterion") || has("inference_criteria") {
            Self::InferenceCriteria
        } else if has("sample_size") || has("expected_rows") || has("row_tolerance") {
            Self::SampleSize
        } else if has("missing_data") || has("wave_or_subset") {
            Self::Exclusions
        } else if has("/data_plan") {
            Self::Data
        } else if has("_variable") {
            Self::Variables
        } else if has("/hypothesis") {
            Self::Hypothesis
        } else if has("/codebase") || has("/entry_points") {
            Self::Code
        } else if has("/docker_specs") {
            Self::Environment
        } else if has("/planned_method") || has("/fit") || has("/analysis") {
            Self::Analysis
        } else {
            Self::Other
        }
    }
}

/// The time of a deviation, relative to the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Timing {
    /// With the plan itself, against what is fixed for the claim.
    WhenPlanned,
    BeforeResult,
    AfterResult,
    /// By the execution that gave the result.
    InExecution,
    NotSaid,
}

impl Timing {
    /// The words in a table.
    pub fn words(self) -> &'static str {
        match self {
            Self::WhenPlanned => "when the plan was fixed",
            Self::BeforeResult => "after the plan was fixed, before a result was seen",
            Self::AfterResult => "after a result was seen",
            Self::InExecution => "in the execution",
            Self::NotSaid => "not said",
        }
    }
}
