//! The languages that analyses are written in.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A language of scripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    Python,
    R,
    Stata,
    Spss,
}

impl fmt::Display for Language {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Python => "Python",
            Self::R => "R",
            Self::Stata => "Stata",
            Self::Spss => "SPSS",
        })
    }
}
