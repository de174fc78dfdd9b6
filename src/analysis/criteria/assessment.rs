//! What one criterion says.

use std::fmt;

use serde::{Deserialize, Serialize};
use strum::{EnumIter, IntoEnumIterator};

use crate::domain::finding::Interval;

/// A published replication criterion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumIter, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    SignificanceAndDirection,
    OriginalInReplicationInterval,
    ReplicationInOriginalInterval,
    PredictionInterval,
    Heterogeneity,
    SmallTelescopes,
    ScepticalP,
    ReplicationBayesFactor,
    Equivalence,
    MetaAnalytic,
    EffectRatio,
}

impl Rule {
    /// All criteria, in the order in which they are reported.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::iter()
    }

    /// The name used in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::SignificanceAndDirection => "significance and direction",
            Self::OriginalInReplicationInterval => "original in replication interval",
            Self::ReplicationInOriginalInterval => "replication in original interval",
            Self::PredictionInterval => "prediction interval",
            Self::Heterogeneity => "heterogeneity Q",
            Self::SmallTelescopes => "small telescopes",
            Self::ScepticalP => "sceptical p-value",
            Self::ReplicationBayesFactor => "replication Bayes factor",
            Self::Equivalence => "equivalence",
            Self::MetaAnalytic => "meta-analysis",
            Self::EffectRatio => "effect ratio",
        }
    }

    /// What [`Assessment::value`] is.
    pub fn value_name(self) -> &'static str {
        match self {
            Self::SignificanceAndDirection | Self::Heterogeneity | Self::MetaAnalytic => "p, two-sided",
            Self::SmallTelescopes | Self::ScepticalP => "p, one-sided",
            Self::Equivalence => "p of the two one-sided tests",
            Self::OriginalInReplicationInterval => "original estimate",
            Self::ReplicationInOriginalInterval | Self::PredictionInterval => "replication estimate",
            Self::ReplicationBayesFactor => "Bayes factor",
            Self::EffectRatio => "replication estimate / original estimate",
        }
    }

    /// Where the criterion was published.
    pub fn source(self) -> &'static str {
        match self {
            Self::SignificanceAndDirection => "Open Science Collaboration (2015), Science 349, aac4716",
            Self::OriginalInReplicationInterval => "Open Science Collaboration (2015), Science 349, aac4716",
            Self::ReplicationInOriginalInterval => {
                "Cumming (2008), Perspectives on Psychological Science 3, 286"
            }
            Self::PredictionInterval => {
                "Patil, Peng and Leek (2016), Perspectives on Psychological Science 11, 539"
            }
            Self::Heterogeneity => "Hedges and Schauer (2019), Psychological Methods 24, 557",
            Self::SmallTelescopes => "Simonsohn (2015), Psychological Science 26, 559",
            Self::ScepticalP => "Held (2020), Journal of the Royal Statistical Society A 183, 431",
            Self::ReplicationBayesFactor => {
                "Verhagen and Wagenmakers (2014), Journal of Experimental Psychology: General 143, 1457"
            }
            Self::Equivalence => "Lakens (2017), Social Psychological and Personality Science 8, 355",
            Self::MetaAnalytic => "Open Science Collaboration (2015), Science 349, aac4716",
            Self::EffectRatio => "Fieller (1954), Journal of the Royal Statistical Society B 16, 175",
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

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
    pub(super) fn undecided(rule: Rule, sentence: impl Into<String>) -> Self {
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
pub(super) fn number(value: f64) -> String {
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
