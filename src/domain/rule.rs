//! The published replication criteria, by name.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{EnumIter, IntoEnumIterator};

/// A published replication criterion. Significance and direction decides where
/// nobody fixed another one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, EnumIter, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    #[default]
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
    SumOfPValues,
    GoldenScepticalP,
    Correspondence,
    DefaultBayesFactor,
    ModelAveragedBayesFactor,
    /// The published numbers come out again.
    NumericalAgreement,
}

impl Rule {
    /// All criteria, in the order in which they are reported.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::iter()
    }

    /// Whether this is the rule that decides where nobody fixed another one.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// Whether it is computed from the original's figures, and not from the
    /// replication and what was registered alone.
    pub fn needs_original(self) -> bool {
        !matches!(
            self,
            Self::SignificanceAndDirection | Self::Equivalence | Self::DefaultBayesFactor
        )
    }

    /// Whether it takes original and replication for independent samples.
    pub fn assumes_independence(self) -> bool {
        !matches!(
            self,
            Self::SignificanceAndDirection | Self::Equivalence | Self::NumericalAgreement
        )
    }

    /// Whether it asks for the claim's sign, where the claim has one.
    pub fn has_direction(self) -> bool {
        !matches!(
            self,
            Self::OriginalInReplicationInterval
                | Self::ReplicationInOriginalInterval
                | Self::PredictionInterval
                | Self::Heterogeneity
                | Self::Correspondence
                | Self::NumericalAgreement
        )
    }

    /// Whether it can decide a claim of no effect, which has no sign: by
    /// equivalence, or by whether the two estimates are compatible.
    pub fn decides_no_effect(self) -> bool {
        self == Self::Equivalence || !self.has_direction()
    }

    /// Whether it takes the replication's own test, and with it its degrees of
    /// freedom, and not the precision alone.
    pub fn tests_replication(self) -> bool {
        self.compares_correlations()
            || matches!(
                self,
                Self::OriginalInReplicationInterval
                    | Self::Equivalence
                    | Self::SumOfPValues
                    | Self::DefaultBayesFactor
            )
    }

    /// Whether it can be computed of two studies in different units, by signs and
    /// tests or by correlations.
    pub fn is_free_of_units(self) -> bool {
        self.compares_correlations()
            || matches!(
                self,
                Self::SignificanceAndDirection | Self::SumOfPValues | Self::DefaultBayesFactor
            )
    }

    /// Whether it compares the correlations behind both tests, which ask for
    /// degrees of freedom or n.
    pub fn compares_correlations(self) -> bool {
        matches!(self, Self::Correspondence | Self::ModelAveragedBayesFactor)
    }

    /// The Bayes factor above which it is met, where nobody fixed another one:
    /// moderate evidence by Jeffreys' names, strong for the default test.
    pub fn published_bayes_factor(self) -> f64 {
        if self == Self::DefaultBayesFactor {
            10.0
        } else {
            3.0
        }
    }

    /// The name in a plan and in `study.toml`.
    pub fn key(self) -> &'static str {
        match self {
            Self::SignificanceAndDirection => "significance_and_direction",
            Self::OriginalInReplicationInterval => "original_in_replication_interval",
            Self::ReplicationInOriginalInterval => "replication_in_original_interval",
            Self::PredictionInterval => "prediction_interval",
            Self::Heterogeneity => "heterogeneity",
            Self::SmallTelescopes => "small_telescopes",
            Self::ScepticalP => "sceptical_p",
            Self::ReplicationBayesFactor => "replication_bayes_factor",
            Self::Equivalence => "equivalence",
            Self::MetaAnalytic => "meta_analytic",
            Self::EffectRatio => "effect_ratio",
            Self::SumOfPValues => "sum_of_p_values",
            Self::GoldenScepticalP => "golden_sceptical_p",
            Self::Correspondence => "correspondence",
            Self::DefaultBayesFactor => "default_bayes_factor",
            Self::ModelAveragedBayesFactor => "model_averaged_bayes_factor",
            Self::NumericalAgreement => "numerical_agreement",
        }
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
            Self::SumOfPValues => "sum of p-values",
            Self::GoldenScepticalP => "golden sceptical p-value",
            Self::Correspondence => "correspondence",
            Self::DefaultBayesFactor => "default Bayes factor",
            Self::ModelAveragedBayesFactor => "model-averaged Bayes factor",
            Self::NumericalAgreement => "numerical agreement",
        }
    }

    /// What the value of an assessment by this rule is.
    pub fn value_name(self) -> &'static str {
        match self {
            Self::SignificanceAndDirection | Self::Heterogeneity | Self::MetaAnalytic => "p, two-sided",
            Self::SmallTelescopes | Self::ScepticalP | Self::GoldenScepticalP => "p, one-sided",
            Self::Equivalence => "p of the two one-sided tests",
            Self::OriginalInReplicationInterval => "original estimate",
            Self::ReplicationInOriginalInterval | Self::PredictionInterval | Self::NumericalAgreement => {
                "replication estimate"
            }
            Self::ReplicationBayesFactor | Self::DefaultBayesFactor | Self::ModelAveragedBayesFactor => {
                "Bayes factor"
            }
            Self::SumOfPValues => "sum of the one-sided p",
            Self::Correspondence => "difference of the correlations",
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
            Self::SumOfPValues => "Held, Pawel and Micheloud (2024), Royal Society Open Science 11, 240149",
            Self::GoldenScepticalP => {
                "Held, Micheloud and Pawel (2022), Annals of Applied Statistics 16, 706"
            }
            Self::Correspondence => "Steiner and Wong (2018), Evaluation Review 42, 214",
            Self::DefaultBayesFactor => {
                "Rouder, Speckman, Sun, Morey and Iverson (2009), Psychonomic Bulletin and Review 16, 225"
            }
            Self::ModelAveragedBayesFactor => {
                "Gronau, Heck, Berkhout, Haaf and Wagenmakers (2021), Advances in Methods and Practices in \
                 Psychological Science 4 (3)"
            }
            Self::NumericalAgreement => "SCORE project, Center for Open Science, Paper 3 (reproducibility)",
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_what_is_written() {
        for rule in Rule::all() {
            assert_eq!(serde_json::to_value(rule).unwrap(), rule.key());
        }
    }
}
