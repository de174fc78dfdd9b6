//! `post_registration.json`: what the original study did and found.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::catalog::artifacts::scalar::{self, Scalar};
use crate::domain::finding::{Direction, Finding};
use crate::domain::scale::{RatioKind, Scale};
use crate::domain::statistic::{DegreesOfFreedom, Statistic, StatisticKind};
use crate::domain::statistic_text;

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
    /// leave out: the engine puts them in
    #[serde(default)]
    pub hypotheses: Vec<String>,
    /// section and page
    #[serde(default)]
    pub hypotheses_location: String,
    /// leave out, unless the paper completes or contradicts a figure of the claim: then the claim with both
    #[serde(default)]
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
    /// as printed
    #[serde(default, skip_serializing_if = "Scalar::is_absent")]
    pub standard_error: Scalar,
    /// with its letter and degrees of freedom, such as "t(42) = 5.00"
    #[serde(default, skip_serializing_if = "Scalar::is_absent")]
    pub statistic: Scalar,
    /// where the statistic does not have them
    #[serde(default, skip_serializing_if = "Scalar::is_absent")]
    pub df: Scalar,
    /// difference, ratio, log_ratio, correlation, standardized or unsigned (F, chi2 with df > 1)
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub scale: String,
    /// unit of the estimate
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
    /// sides of the test: 1 or 2
    #[serde(default, skip_serializing_if = "Scalar::is_absent")]
    pub tails: Scalar,
    /// observations of this analysis
    #[serde(default, skip_serializing_if = "Scalar::is_absent")]
    pub n: Scalar,
    /// "true" or "false", or the level reached
    #[serde(default)]
    pub statistical_significance: String,
    /// positive, negative or null
    #[serde(default)]
    pub direction: String,
    /// table or passage, and page
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub location: String,
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
        results.iter().map(NumericalResult::finding).collect()
    }
}

impl NumericalResult {
    fn finding(&self) -> Finding {
        let bounds = &self.confidence_interval;
        let statistic = self.statistic();
        let sides = self.sides();
        let is_t = statistic
            .as_ref()
            .is_none_or(|statistic| statistic.kind == StatisticKind::T);
        let df = statistic.as_ref().and_then(|statistic| statistic.df.last());
        let claimed = match self.direction.trim().to_lowercase().as_str() {
            "positive" => Some(Direction::Positive),
            "negative" => Some(Direction::Negative),
            _ => None,
        };
        Finding {
            name: self.outcome_name.clone(),
            estimate: self.value.number(),
            standard_error: self.standard_error.number().filter(|error| *error > 0.0),
            interval: scalar::interval(&bounds.lower, &bounds.upper, &bounds.level),
            p_value: self.p_value.p_value(),
            n: self.n.count(),
            df: df.or_else(|| self.degrees().last()).filter(|_| is_t),
            alternative: claimed.filter(|_| sides == Some(1)),
            sides,
            scale: self.scale(),
            ratio: [&self.unit, &self.scale, &self.outcome_name]
                .into_iter()
                .find_map(|words| RatioKind::from_words(words)),
            statistic,
            ..Finding::default()
        }
    }

    fn statistic(&self) -> Option<Statistic> {
        let Scalar::Text(text) = &self.statistic else {
            // Without its letter nobody knows which one it is.
            return None;
        };
        let mut read = statistic_text::statistic(text)?;
        if read.df.is_empty() && !matches!(read.kind, StatisticKind::Z) {
            read.df = self.degrees();
        }
        Some(read)
    }

    fn degrees(&self) -> DegreesOfFreedom {
        match &self.df {
            Scalar::Absent => DegreesOfFreedom::default(),
            Scalar::Number(_) => {
                DegreesOfFreedom(self.df.number().filter(|df| *df > 0.0).into_iter().collect())
            }
            Scalar::Text(text) => statistic_text::degrees(text),
        }
    }

    /// 1 or 2; a `two-tailed` says so in words.
    fn sides(&self) -> Option<u8> {
        let text = match &self.tails {
            Scalar::Absent => return None,
            Scalar::Number(number) => number.to_string(),
            Scalar::Text(text) => text.to_lowercase(),
        };
        let says = |words: [&str; 2]| words.iter().any(|word| text.contains(word));
        match (says(["1", "one"]), says(["2", "two"])) {
            (true, false) => Some(1),
            (false, true) => Some(2),
            _ => None,
        }
    }

    fn scale(&self) -> Option<Scale> {
        let words = || Scale::from_words(&self.unit).or_else(|| Scale::from_words(&self.outcome_name));
        Scale::parse(&self.scale).or_else(words)
    }
}
