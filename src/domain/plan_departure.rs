//! A departure from the plan, as the answer of the execution states it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A departure from the plan, in the words of the agent or person who made it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct PlanDeparture {
    /// what was done differently
    pub what: String,
    /// path of the code file, or key of the plan, such as data_used.expected_rows
    #[serde(rename = "where")]
    pub place: String,
    pub why: String,
    /// whether the result could be another one without it
    #[serde(skip_serializing_if = "Option::is_none")]
    pub could_change: Option<bool>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub extra: Map<String, Value>,
}
