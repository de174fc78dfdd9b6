//! `post_registration.json`: what the original study did and found.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::catalog::artifacts::scalar::{self, Scalar};
use crate::domain::finding::Finding;

/// The answer of the extraction stage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PostRegistration {
    pub original_study: OriginalStudy,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub extra: Map<String, Value>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OriginalStudy {
    pub claim: ClaimPart,
    pub data: DataPart,
    pub method: MethodPart,
    pub results: ResultsPart,
    #[serde(default)]
    pub metadata: MetadataPart,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub extra: Map<String, Value>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ClaimPart {
    /// each hypothesis that the focal claim tests
    pub hypotheses: Vec<String>,
    /// section and page
    #[serde(default)]
    pub hypotheses_location: String,
    /// the focal claim with its figures
    pub statement: String,
    /// section, table and page
    #[serde(default)]
    pub statement_location: String,
    /// Experimental, Observational, Meta-analysis or another design
    #[serde(default)]
    pub study_type: String,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub extra: Map<String, Value>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct DataPart {
    #[schemars(title = "name of the data set or survey, and who collected it")]
    pub source: String,
    #[schemars(title = "wave, years, countries or cases that are analysed")]
    pub wave_or_subset: String,
    /// of the focal analysis, and of subgroups where it uses them
    pub sample_size: String,
    #[schemars(title = "what one row of the focal analysis is")]
    pub unit_of_analysis: String,
    #[schemars(title = "where and on what terms the data can be had")]
    pub access_details: String,
    #[schemars(title = "exclusions, weights and missing values that matter to the focal test")]
    pub notes: String,
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub extra: Map<String, Value>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct MethodPart {
    #[schemars(title = "the focal analysis in a few sentences")]
    pub description: String,
    /// the analysis in order, one step each
    pub steps: Vec<String>,
    /// model family and equation of the focal test
    pub models: String,
    /// name, coding and scale
    pub outcome_variable: String,
    #[schemars(title = "the focal predictor first: name, coding and scale")]
    pub independent_variables: String,
    #[schemars(title = "every covariate and fixed effect of the focal model")]
    pub control_variables: String,
    #[schemars(title = "program and packages, with versions where given")]
    pub tools_software: String,
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub extra: Map<String, Value>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ResultsPart {
    #[schemars(title = "what the focal test found, in words")]
    #[serde(default)]
    pub summary: String,
    /// the focal estimate first
    pub numerical_results: Vec<NumericalResult>,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub extra: Map<String, Value>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NumericalResult {
    /// the term and the outcome it belongs to
    pub outcome_name: String,
    /// the estimate as printed
    #[serde(default)]
    pub value: Scalar,
    /// unit or scale of the estimate
    #[serde(default)]
    pub unit: String,
    /// standardised effect and its kind, where printed
    #[serde(default)]
    pub effect_size: Scalar,
    #[serde(default)]
    pub confidence_interval: IntervalPart,
    /// exact, or a bound such as "<0.01"
    #[serde(default)]
    pub p_value: Scalar,
    /// "true" or "false", or the level reached
    #[serde(default)]
    pub statistical_significance: String,
    /// positive, negative or null
    #[serde(default)]
    pub direction: String,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub extra: Map<String, Value>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct IntervalPart {
    #[schemars(title = "the lower bound as printed")]
    pub lower: Scalar,
    #[schemars(title = "the upper bound as printed")]
    pub upper: Scalar,
    /// in percent, such as 95
    pub level: Scalar,
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub extra: Map<String, Value>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct MetadataPart {
    /// DOI or another identifier
    pub original_paper_id: String,
    #[schemars(title = "the title as printed")]
    pub original_paper_title: String,
    /// link to the study's code
    pub original_paper_code: String,
    /// link to the study's data
    pub original_paper_data: String,
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub extra: Map<String, Value>,
}

impl PostRegistration {
    /// The original study's findings, in the order of the answer. A number that
    /// cannot be read from its text is absent, never guessed.
    pub fn original_findings(&self) -> Vec<Finding> {
        let results = &self.original_study.results.numerical_results;
        results
            .iter()
            .map(|result| {
                let bounds = &result.confidence_interval;
                Finding {
                    name: result.outcome_name.clone(),
                    estimate: result.value.number(),
                    interval: scalar::interval(&bounds.lower, &bounds.upper, &bounds.level),
                    p_value: result.p_value.p_value(),
                    ..Finding::default()
                }
            })
            .collect()
    }
}
