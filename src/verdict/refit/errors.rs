//! The kind of standard errors that a plan names.

use serde::{Deserialize, Serialize};

use super::family::words;
use crate::domain::fit_details::PlannedErrors;

/// A kind of standard errors. Members of one kind differ by small-sample corrections.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    Classical,
    Robust,
    Clustered,
}

impl ErrorKind {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Classical => "conventional",
            Self::Robust => "robust",
            Self::Clustered => "clustered",
        }
    }

    /// The kind that a plan's field names; none if it is not computed here.
    pub fn from_plan(errors: PlannedErrors) -> Option<Self> {
        match errors {
            PlannedErrors::Conventional => Some(Self::Classical),
            PlannedErrors::Hc0 | PlannedErrors::Hc1 | PlannedErrors::Hc2 | PlannedErrors::Hc3 => {
                Some(Self::Robust)
            }
            PlannedErrors::Clustered | PlannedErrors::ClusteredUncorrected => Some(Self::Clustered),
            PlannedErrors::Other => None,
        }
    }

    /// The kind that a plan's words name; none if they name none.
    pub fn from_words(text: &str) -> Option<Self> {
        const CLASSICAL: [&str; 5] = [
            "conventional",
            "classical",
            "homoskedastic",
            "homoscedastic",
            "unadjusted",
        ];
        const ROBUST: [&str; 12] = [
            "hc0",
            "hc1",
            "hc2",
            "hc3",
            "robust",
            "sandwich",
            "heteroskedasticity",
            "heteroscedasticity",
            "heteroskedastic",
            "huber",
            "white",
            "eicker",
        ];
        let words = words(text);
        let has = |names: &[&str]| words.iter().any(|word| names.contains(&word.as_str()));
        if has(&CLASSICAL) || text.to_lowercase().contains("model-based") {
            Some(Self::Classical)
        } else if words.iter().any(|word| word.starts_with("cluster")) {
            Some(Self::Clustered)
        } else if has(&ROBUST) {
            Some(Self::Robust)
        } else {
            None
        }
    }

    /// Whether a plan's words name errors of a kind that is not computed here.
    pub fn is_other(text: &str) -> bool {
        const OTHER: [&str; 9] = [
            "newey",
            "driscoll",
            "hac",
            "conley",
            "jackknife",
            "jackknifed",
            "linearized",
            "delta",
            "permutation",
        ];
        let is_one = |word: &String| OTHER.contains(&word.as_str()) || word.starts_with("bootstrap");
        words(text).iter().any(is_one)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kind_is_the_one_that_is_named() {
        for (text, kind) in [
            ("OLS with HC3 errors", Some(ErrorKind::Robust)),
            ("errors clustered by school", Some(ErrorKind::Clustered)),
            ("conventional errors; HC3 as a check", Some(ErrorKind::Classical)),
            ("heteroskedasticity-robust", Some(ErrorKind::Robust)),
            ("OLS; a robustness check leaves out outliers", None),
            ("Maximum likelihood", None),
        ] {
            assert_eq!(ErrorKind::from_words(text), kind, "{text}");
        }
        assert!(ErrorKind::is_other("Newey-West errors") && !ErrorKind::is_other("HC3 errors"));
    }
}
