//! `execution_results.json`: what was run and what it found.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::catalog::artifacts::scalar::Scalar;
use crate::catalog::fault::AnswerFault;
use crate::domain::finding::Finding;
use crate::domain::number_text;
use crate::domain::plan_departure::PlanDeparture;
use crate::statistics::precision::usable_df;

/// The answer of the execution stage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExecutionResults {
    pub execution_summary: String,
    #[serde(default)]
    pub code_executed: Vec<ExecutedCode>,
    pub results: ResultsPart,
    /// each departure from the plan; empty if there is none
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deviations: Vec<PlanDeparture>,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub extra: Map<String, Value>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ExecutedCode {
    pub command: String,
    /// Success, Failure or Partial Success
    pub status: String,
    /// where the full output is, and the lines that matter
    pub logs: String,
    pub environment: String,
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub extra: Map<String, Value>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ResultsPart {
    #[serde(default)]
    pub hypothesis_tested: String,
    /// the focal term first; empty if nothing was estimated
    pub findings_summary: Vec<FindingPart>,
    #[serde(default)]
    pub tables: Vec<TablePart>,
    #[serde(default)]
    pub figures: Vec<FigurePart>,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub extra: Map<String, Value>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FindingPart {
    /// the term and the outcome it belongs to
    pub outcome_name: String,
    /// the estimate as printed by the run
    #[serde(default)]
    pub value: Scalar,
    #[serde(default)]
    pub standard_error: Scalar,
    /// such as "[0.1, 0.4]", 95 % unless it says otherwise
    #[serde(default)]
    pub confidence_interval: String,
    /// exact if the run prints it
    #[serde(default)]
    pub p_value: Scalar,
    #[serde(default)]
    pub statistical_significance: String,
    /// positive, negative or null
    #[serde(default)]
    pub direction: String,
    #[serde(default)]
    pub effect_size: Scalar,
    /// units of analysis behind the estimate
    #[serde(default)]
    pub n: Scalar,
    /// for a t test, if the run prints it
    #[serde(default, skip_serializing_if = "Scalar::is_absent")]
    pub df: Scalar,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub extra: Map<String, Value>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct TablePart {
    pub table_id: String,
    pub table_description: String,
    pub table_file: String,
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub extra: Map<String, Value>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct FigurePart {
    pub figure_id: String,
    pub figure_description: String,
    pub figure_file: String,
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub extra: Map<String, Value>,
}

impl ExecutionResults {
    /// The findings, in the order of the answer. A number that cannot be read
    /// from its text is absent, never guessed.
    pub fn findings(&self) -> Vec<Finding> {
        self.results
            .findings_summary
            .iter()
            .map(|part| Finding {
                name: part.outcome_name.clone(),
                estimate: part.value.number(),
                standard_error: part.standard_error.number().filter(|error| *error >= 0.0),
                interval: number_text::interval(&part.confidence_interval),
                p_value: part.p_value.p_value(),
                n: part.n.count(),
                df: part.df.number(),
                ..Finding::default()
            })
            .collect()
    }

    /// Degrees of freedom that are none, which would otherwise count as not given.
    pub fn shortcomings(&self) -> Vec<AnswerFault> {
        let parts = self.results.findings_summary.iter().enumerate();
        parts
            .filter_map(|(index, part)| {
                let df = part.df.written().filter(|df| !usable_df(*df))?;
                Some(AnswerFault::new(
                    format!("/results/findings_summary/{index}/df"),
                    format!("{df} is no number of degrees of freedom"),
                    "the finite number above zero that the run printed, or null where the test is not by t",
                ))
            })
            .collect()
    }
}
