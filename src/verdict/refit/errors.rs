//! The kind of standard errors that a plan names.

use serde::{Deserialize, Serialize};

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

    /// The kind that a plan's words name; none if they name none.
    pub fn from_words(text: &str) -> Option<Self> {
        const CLASSICAL: [&str; 6] = [
            "conventional",
            "classical",
            "model-based",
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
        let words: Vec<String> = text
            .to_lowercase()
            .split(|one: char| !(one.is_alphanumeric() || one == '-'))
            .map(ToOwned::to_owned)
            .collect();
        let has = |names: &[&str]| {
            let is_one = |word: &String| {
                let parts = word.split('-');
                names.contains(&word.as_str()) || parts.into_iter().any(|part| names.contains(&part))
            };
            words.iter().any(is_one)
        };
        if words.iter().any(|word| word.starts_with("cluster")) {
            Some(Self::Clustered)
        } else if has(&CLASSICAL) {
            Some(Self::Classical)
        } else if has(&ROBUST) {
            Some(Self::Robust)
        } else {
            None
        }
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
            ("Maximum likelihood", None),
        ] {
            assert_eq!(ErrorKind::from_words(text), kind, "{text}");
        }
    }
}
