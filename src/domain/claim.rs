//! The focal claim of a study.

use serde::{Deserialize, Serialize};

/// The claim under test and the hypothesis behind it, as the study's
/// `initial_details.txt` gives them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    /// The statement to be replicated, with the figures that support it.
    pub statement: String,
    /// The hypothesis or hypotheses that the statement tests.
    pub hypotheses: String,
}
