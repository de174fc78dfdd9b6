//! `replication_info.json`: the preregistered plan, its code and its environment.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::catalog::artifacts::criterion;
use crate::catalog::artifacts::entries::variant_entries;
use crate::catalog::artifacts::scalar::Scalar;
use crate::catalog::fault::AnswerFault;
use crate::domain::criterion::{Criterion, FixedCriterion};
use crate::domain::fit_details::FitDetails;
use crate::domain::plan::ExecutionPlan;
use crate::domain::variant::{self, Variant};

/// The answer of the design stage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReplicationInfo {
    pub replication_study: ReplicationStudy,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub extra: Map<String, Value>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ReplicationStudy {
    #[schemars(title = "what is tested, with its direction")]
    pub hypothesis: String,
    #[schemars(title = "Experimental, Observational, Meta-analysis or another design")]
    pub study_type: String,
    /// the rule that decides, fixed before any result is seen
    pub criterion: Option<Criterion>,
    pub data_plan: DataPlan,
    /// what the run is compared with
    #[serde(skip_serializing_if = "DataUsed::is_empty")]
    pub data_used: DataUsed,
    pub planned_method: PlannedMethod,
    /// what the equation of the focal model does not show
    #[serde(skip_serializing_if = "FitDetails::is_empty")]
    pub fit: FitDetails,
    pub codebase: Codebase,
    /// what is run, in this order
    pub entry_points: Vec<EntryPointPart>,
    /// run after the main analysis; decide nothing
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub variants: Vec<Variant>,
    pub docker_specs: DockerSpecs,
    pub analysis: AnalysisPart,
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub extra: Map<String, Value>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct DataPlan {
    #[schemars(title = "file or data set that is analysed, with its version")]
    pub dataset_identifier: String,
    #[schemars(title = "such as survey, experiment, register or simulation")]
    pub source_type: String,
    #[schemars(title = "wave, years or cases that are kept")]
    pub wave_or_subset: String,
    #[schemars(title = "rows that the analysis is expected to use")]
    pub sample_size: String,
    #[schemars(title = "what one row of the analysis is")]
    pub unit_of_analysis: String,
    #[schemars(title = "where and on what terms the data were had")]
    pub access_details: String,
    pub qualification: Qualification,
    #[schemars(title = "recodings, exclusions and weights")]
    pub notes: String,
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub extra: Map<String, Value>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct DataUsed {
    /// path of each data file that the code opens
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// rows that the focal model will use after exclusions, as a number
    #[serde(skip_serializing_if = "Scalar::is_absent")]
    pub expected_rows: Scalar,
    /// how many rows more or fewer still follow the plan
    #[serde(skip_serializing_if = "Scalar::is_absent")]
    pub row_tolerance: Scalar,
}

impl DataUsed {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Qualification {
    /// why these data can test the claim
    pub explanation: String,
    #[schemars(title = "what these data share with those of the original")]
    pub similarity_to_original: String,
    #[schemars(title = "how they differ, and what that can do to the result")]
    pub deviation_from_original: String,
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub extra: Map<String, Value>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct PlannedMethod {
    #[schemars(title = "the analysis in order, one step each")]
    pub steps: Vec<String>,
    /// model and equation
    pub models: String,
    #[schemars(title = "name in the data, coding and scale")]
    pub outcome_variable: String,
    #[schemars(title = "the focal predictor first: name in the data, coding and scale")]
    pub independent_variables: String,
    #[schemars(title = "every covariate and fixed effect of the model")]
    pub control_variables: String,
    #[schemars(title = "language and packages")]
    pub tools_software: String,
    pub planned_estimation_and_test: EstimationAndTest,
    #[schemars(title = "what is done with missing values")]
    pub missing_data_handling: String,
    #[schemars(title = "how many tests count, and how that is allowed for")]
    pub multiple_testing_policy: String,
    /// the criterion in words
    pub inference_criteria: String,
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub extra: Map<String, Value>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct EstimationAndTest {
    #[schemars(title = "estimator and kind of standard errors")]
    pub estimation: String,
    #[schemars(title = "test statistic, sides and level")]
    pub test: String,
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub extra: Map<String, Value>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Codebase {
    /// path of each code file to what it does
    pub files: BTreeMap<String, String>,
    #[schemars(title = "what a reader of the code should know")]
    pub notes: String,
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub extra: Map<String, Value>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EntryPointPart {
    /// such as work/analysis.py
    pub path: String,
    /// python, r, rmarkdown, stata, spss, matlab or shell; if absent, the file's ending decides
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interpreter: Option<String>,
    #[serde(default)]
    pub arguments: Vec<String>,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub extra: Map<String, Value>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct DockerSpecs {
    /// such as python:3.12-slim or rocker/r-ver:4.4.2
    pub base_image: String,
    pub packages: Packages,
    pub hardware: Hardware,
    /// ignored: the engine mounts the workspace
    pub volumes: Vec<String>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub extra: Map<String, Value>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Packages {
    /// PEP 508 requirements
    pub python: Vec<String>,
    /// package names
    pub r: Vec<String>,
    /// Debian package names
    pub other: Vec<String>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub extra: Map<String, Value>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Hardware {
    #[schemars(title = "whether a graphics card is needed")]
    pub gpu_support: String,
    #[schemars(title = "in gigabytes")]
    pub min_gpu_memory_gb: Scalar,
    #[schemars(title = "in gigabytes")]
    pub min_ram_gb: Scalar,
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub extra: Map<String, Value>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct AnalysisPart {
    #[schemars(title = "how to run the code and where its results appear")]
    pub instructions: String,
    /// how the result is compared with the original
    pub comparison_metrics: String,
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub extra: Map<String, Value>,
}

impl ReplicationInfo {
    /// The preregistered rule; `None` where none was named or its level is not
    /// between 0 and 1.
    pub fn criterion(&self) -> Option<Criterion> {
        self.replication_study
            .criterion
            .clone()
            .filter(|criterion| criterion.alpha > 0.0 && criterion.alpha < 1.0)
    }

    /// Everything that keeps the plan from being carried out and judged: no
    /// usable rule, or another one than the study fixes without a reason, no
    /// runnable plan, no readable environment.
    pub fn shortcomings(&self, fixed: Option<&FixedCriterion>) -> Vec<AnswerFault> {
        let mut faults = Vec::new();
        match &self.replication_study.criterion {
            None => faults.push(AnswerFault::new(
                "/replication_study/criterion",
                "no decision rule is given",
                "{focal_term, direction: positive, negative or none, alpha between 0 and 1, two_sided: true or false}",
            )),
            Some(rule) => {
                faults.extend(criterion::other_observations(rule, fixed));
                let rule = &rule.clone().on(fixed);
                faults.extend(criterion::faults(rule));
                faults.extend(criterion::disagreement(rule, fixed));
            }
        }
        if let Err(fault) = self.plan() {
            faults.push(AnswerFault::new(
                "/replication_study/entry_points",
                fault.to_string(),
                "one or more scripts below work/, each with a known interpreter",
            ));
        }
        faults.extend(self.variant_faults());
        if let Err(environment) = self.environment() {
            faults.extend(environment);
        }
        faults
    }

    fn variant_faults(&self) -> Vec<AnswerFault> {
        const EXPECTED: &str =
            "{name, changes}, with `entry`, `variables` or `focal_term` where these differ";
        let variants = &self.replication_study.variants;
        let fault = |problem: String| AnswerFault::new("/replication_study/variants", problem, EXPECTED);
        let main = ExecutionPlan(Vec::new());
        let scripts = variants.iter().filter_map(|variant| {
            let unusable = variant_entries(variant, &main).err()?;
            Some(format!("the variant `{}`: {unusable}", variant.name))
        });
        let problems = variant::faults(variants)
            .into_iter()
            .map(|fault| fault.to_string());
        problems.chain(scripts).map(fault).collect()
    }
}
