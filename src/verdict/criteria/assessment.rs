//! The assessment of one criterion.

use serde::{Deserialize, Serialize};

use super::study::StudyEstimate;
use crate::domain::finding::Interval;
use crate::domain::rule::Rule;

/// One criterion applied to one pair of studies.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Assessment {
    pub rule: Rule,
    /// See [`Rule::value_name`]; absent where the criterion does not apply.
    pub value: Option<f64>,
    /// The interval that the criterion looks at, where it looks at one.
    pub interval: Option<Interval>,
    /// Whether the pair meets the criterion; absent where it does not decide.
    pub decision: Option<bool>,
    /// One sentence with the numbers that decided.
    pub sentence: String,
}

impl Assessment {
    /// A criterion that does not apply, and why.
    pub fn undecided(rule: Rule, sentence: impl Into<String>) -> Self {
        Self {
            rule,
            value: None,
            interval: None,
            decision: None,
            sentence: sentence.into(),
        }
    }
}

/// A number as a sentence gives it: four significant digits, bounds for tiny ones.
pub(in crate::verdict) fn number(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 {
        "0".to_owned()
    } else if !(1e-4..1e6).contains(&size) {
        format!("{value:.3e}")
    } else {
        let digits = (3 - size.log10().floor() as i32).clamp(0, 8) as usize;
        let text = format!("{value:.digits$}");
        if text.contains('.') {
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        } else {
            text
        }
    }
}

/// The degrees of freedom behind a p-value, as they follow it in a sentence.
pub(super) fn on_df(study: &StudyEstimate) -> String {
    study
        .df
        .map_or_else(String::new, |df| format!(" on {} degrees of freedom", number(df)))
}

/// An interval as a sentence gives it.
pub(super) fn range(interval: Interval) -> String {
    format!("[{}, {}]", number(interval.lower), number(interval.upper))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_sentences() {
        assert_eq!(number(0.0124), "0.0124");
        assert_eq!(number(-4.1), "-4.1");
        assert_eq!(number(1373.04), "1373");
        assert_eq!(number(3.2e-9), "3.200e-9");
        assert_eq!(number(0.0), "0");
    }
}
