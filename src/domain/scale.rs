//! The scale that an estimate is on.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{EnumIter, IntoEnumIterator};

/// The scale of a number, and with it the value of no effect.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, EnumIter, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(description = "What a number measures, and so which value means no effect.")]
pub enum Scale {
    /// A coefficient or a difference in the outcome's own unit.
    #[default]
    Difference,
    /// An odds, risk, rate or hazard ratio; no effect is 1.
    Ratio,
    /// The logarithm of such a ratio.
    LogRatio,
    /// From -1 to 1.
    Correlation,
    /// In standard deviations.
    Standardized,
    /// A statistic without a sign: F, chi-squared with several degrees of freedom, a rank test's |z|.
    Unsigned,
}

impl Scale {
    /// Every scale.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::iter()
    }

    /// The key in plans and result lines.
    pub fn key(self) -> &'static str {
        match self {
            Self::Difference => "difference",
            Self::Ratio => "ratio",
            Self::LogRatio => "log_ratio",
            Self::Correlation => "correlation",
            Self::Standardized => "standardized",
            Self::Unsigned => "unsigned",
        }
    }

    /// The scale of a key.
    pub fn parse(key: &str) -> Option<Self> {
        let key = key.trim().to_lowercase().replace(['-', ' '], "_");
        Self::all().find(|scale| scale.key() == key)
    }

    /// The value that stands for no effect.
    pub fn null(self) -> f64 {
        match self {
            Self::Ratio => 1.0,
            _ => 0.0,
        }
    }

    /// Whether two numbers on these scales can be brought onto one by a logarithm.
    pub fn is_ratio(self) -> bool {
        matches!(self, Self::Ratio | Self::LogRatio)
    }

    /// The scale of a value that is named as a ratio, such as an odds ratio or `exp(b)`.
    pub fn from_words(words: &str) -> Option<Self> {
        let named = RatioKind::from_words(words).is_some() || words.to_lowercase().contains("exp(b)");
        let words = words.to_lowercase();
        let logged = words.contains("log") && !words.contains("logi");
        match (named, logged) {
            (true, false) => Some(Self::Ratio),
            (true, true) => Some(Self::LogRatio),
            (false, _) => None,
        }
    }
}

/// The kind of a ratio or of its logarithm. Two kinds are two units.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumIter, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(description = "Which ratio it is.")]
pub enum RatioKind {
    Odds,
    Risk,
    Hazard,
    /// Of incidence rates, as Poisson and negative binomial models give it.
    Rate,
}

impl RatioKind {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Odds => "odds ratio",
            Self::Risk => "risk ratio",
            Self::Hazard => "hazard ratio",
            Self::Rate => "rate ratio",
        }
    }

    /// The kind that a unit or a name gives, such as `odds_ratio`.
    pub fn from_words(words: &str) -> Option<Self> {
        const RELATIVE_RISK: &str = "relative risk";
        let words = words.to_lowercase().replace(['-', '_'], " ");
        let named = Self::iter().find(|kind| words.contains(kind.name()));
        named.or_else(|| words.contains(RELATIVE_RISK).then_some(Self::Risk))
    }
}

impl fmt::Display for Scale {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.key())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_what_is_written() {
        for scale in Scale::all() {
            assert_eq!(serde_json::to_value(scale).unwrap(), scale.key());
            assert_eq!(Scale::parse(&scale.key().to_uppercase()), Some(scale));
        }
        assert_eq!(Scale::parse("log ratio"), Some(Scale::LogRatio));
    }

    #[test]
    fn words_tell_a_ratio_from_its_logarithm() {
        assert_eq!(Scale::from_words("treat (odds ratio)"), Some(Scale::Ratio));
        assert_eq!(
            Scale::from_words("Odds ratio of a logistic regression"),
            Some(Scale::Ratio)
        );
        assert_eq!(Scale::from_words("log odds ratio"), Some(Scale::LogRatio));
        assert_eq!(Scale::from_words("income"), None);
        for (words, kind) in [
            ("hazard-ratio", Some(RatioKind::Hazard)),
            ("log_odds_ratio", Some(RatioKind::Odds)),
            ("Incidence rate ratio", Some(RatioKind::Rate)),
            ("relative risk", Some(RatioKind::Risk)),
            ("migration", None),
        ] {
            assert_eq!(RatioKind::from_words(words), kind, "{words}");
        }
    }
}
