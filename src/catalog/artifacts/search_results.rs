//! `search_results.json`: where the data and materials of a study can be had.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The answer of the search stage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SearchResults {
    /// pages that were opened and hold what is needed
    pub urls: Vec<FoundUrl>,
    /// what is needed and was not found
    #[serde(default)]
    pub missing: Vec<MissingResource>,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub extra: Map<String, Value>,
}

/// One address, under the keys of ReplicatorBench's predictions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FoundUrl {
    pub url: String,
    /// data, code, codebook, questionnaire or other
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// the resource, in a few words
    #[serde(default)]
    pub resource_name: String,
    /// what of the replication it serves
    #[serde(default)]
    pub why_needed: String,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub extra: Map<String, Value>,
}

/// One resource that was not found, under the keys of ReplicatorBench's predictions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MissingResource {
    pub resource_name: String,
    /// the queries that were tried
    #[serde(default)]
    pub search_query: String,
    /// why it could not be found or opened
    #[serde(default)]
    pub why: String,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub extra: Map<String, Value>,
}
