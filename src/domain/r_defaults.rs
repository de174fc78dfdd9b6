//! Defaults of R that a study's scripts were written for.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The series of R whose defaults hold, where they are not those of the R that runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum RDefaults {
    /// Text becomes factors as data are read, as before R 4.0, and `sample` draws as before R 3.6.
    #[serde(rename = "3")]
    Three,
}
