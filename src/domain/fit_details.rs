//! Parts of a planned fit that its equation does not show.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The kind of standard errors that a plan names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlannedErrors {
    #[serde(alias = "classical")]
    Conventional,
    #[serde(alias = "HC0")]
    Hc0,
    #[serde(alias = "HC1")]
    Hc1,
    #[serde(alias = "HC2")]
    Hc2,
    #[serde(alias = "HC3")]
    Hc3,
    Clustered,
    /// Clustered, without a correction for few clusters.
    ClusteredUncorrected,
    /// Such as bootstrap, jackknife or Newey-West.
    Other,
}

/// The imputations that are pooled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Imputation {
    pub m: u64,
    #[serde(default)]
    pub seed: Option<u64>,
}

/// The parts of a fit that the equation does not show.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct FitDetails {
    /// columns of the data that the code logs, centres, recodes or combines before the fit
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub transformed: Vec<String>,
    /// of the focal term
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(title = "kind of standard errors of the focal term")]
    pub errors: Option<PlannedErrors>,
    /// columns; for clustered errors
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub clusters: Vec<String>,
    /// a column
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(title = "column of the weights")]
    pub weights: Option<String>,
    /// if missing values are imputed
    #[serde(skip_serializing_if = "Option::is_none")]
    pub imputation: Option<Imputation>,
}

impl FitDetails {
    /// Whether missing values are imputed.
    pub fn is_imputed(&self) -> bool {
        self.imputation.is_some_and(|imputation| imputation.m > 0)
    }

    /// Whether the plan leaves all fields out.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The column of the weights; none if the plan names none.
    pub fn weights(&self) -> Option<&str> {
        let named = self.weights.as_deref().map(str::trim);
        named.filter(|name| !name.is_empty() && !name.eq_ignore_ascii_case("none"))
    }
}
