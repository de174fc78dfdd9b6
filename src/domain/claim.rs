//! The focal claim of a study.

use serde::{Deserialize, Serialize};

use super::criterion::FixedCriterion;
use super::variant::Variant;

/// The claim under test and the hypothesis behind it, as the study's
/// `initial_details.txt` gives them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Claim {
    /// The statement to be replicated, with the figures that support it.
    pub statement: String,
    /// The hypothesis or hypotheses that the statement tests.
    pub hypotheses: String,
    /// The rule that the study fixes for it, from `study.toml`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub criterion: Option<FixedCriterion>,
    /// The variants that the study fixes for it, from `study.toml`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub variants: Vec<Variant>,
}
