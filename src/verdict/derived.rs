//! A quantity that follows from others.

use serde::{Deserialize, Serialize};

use super::criteria::assessment::number;
use crate::domain::finding::Finding;
use crate::domain::scale::Scale;

/// One quantity and how it follows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Derived {
    pub quantity: String,
    pub value: f64,
    /// The formula with its numbers and the result.
    pub formula: String,
}

/// Whether estimate, standard error and interval are on one additive scale.
pub fn is_additive(finding: &Finding) -> bool {
    matches!(
        finding.scale,
        None | Some(Scale::Difference | Scale::LogRatio | Scale::Standardized)
    )
}

/// A quantity with its formula; `None` where it is not finite.
pub fn derived(quantity: &str, value: f64, formula: String) -> Option<Derived> {
    value.is_finite().then(|| Derived {
        quantity: quantity.to_owned(),
        formula: format!("{formula} = {}", number(value)),
        value,
    })
}
