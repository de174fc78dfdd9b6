//! The languages that analyses are written in.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::domain::code_file::CodeLanguage;

/// A language of scripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    Python,
    R,
    Stata,
    Spss,
}

impl Language {
    /// The language among those of which packages are locked.
    pub fn of(language: CodeLanguage) -> Option<Self> {
        match language {
            CodeLanguage::Python => Some(Self::Python),
            CodeLanguage::R => Some(Self::R),
            CodeLanguage::Stata => Some(Self::Stata),
            CodeLanguage::Spss => Some(Self::Spss),
            CodeLanguage::Sas | CodeLanguage::Julia | CodeLanguage::Matlab | CodeLanguage::Shell => None,
        }
    }
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
