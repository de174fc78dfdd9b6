//! The answer of the program that fits a model.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::errors::ErrorKind;

/// The fits of a model, or why there is none.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct RefitAnswer {
    /// One sentence; the rest is empty then.
    pub error: Option<String>,
    /// Rows that were used.
    pub n: u64,
    pub dropped: DroppedRows,
    /// Terms without a finite estimate.
    pub infinite: Vec<String>,
    pub fits: Vec<RefitFit>,
}

/// Rows that the estimator leaves out by itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct DroppedRows {
    pub missing: u64,
    pub singletons: u64,
    pub separated: u64,
}

/// The coefficients of one fit with one member of a kind of errors.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct RefitFit {
    pub kind: ErrorKind,
    /// Such as `HC1` or `CR1S(firm)`.
    pub member: String,
    /// Such as `REML` or `Efron`.
    #[serde(default)]
    pub variant: String,
    #[serde(default)]
    pub df: Option<f64>,
    /// Estimate and standard error by name.
    pub coefficients: BTreeMap<String, (f64, f64)>,
}
