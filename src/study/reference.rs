//! The references of `study.toml`: how the claim was published, how its replication ended, and what
//! a search should find.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::finding::{Finding, Interval, PValue, Relation};
use crate::domain::scale::{RatioKind, Scale};
use crate::domain::statistic::{DegreesOfFreedom, Statistic, StatisticKind};
use crate::domain::verdict::HumanLabel;

/// The references of a study, for scoring and reports alone.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reference {
    /// How a human replication ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Label>,
    /// The published figures of the claim.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub original: Option<Original>,
    /// The smallest effect that matters, if somebody has said it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sesoi: Option<Sesoi>,
    /// Gold of the search stage.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resources: Vec<Resource>,
}

/// The label of the human replication's outcome.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Label {
    /// `mixed` if it was neither as a whole.
    pub label: HumanLabel,
}

/// The published figures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Original {
    /// The coefficient or contrast that the claim is about.
    pub term: String,
    pub estimate: f64,
    pub standard_error: f64,
    /// Observations.
    pub n: u64,
    /// A number, or a table `{ relation = "<", value = 0.001 }`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p_value: Option<WrittenP>,
    /// The test statistic.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statistic: Option<f64>,
    /// Degrees of freedom of the statistic, if it is a t.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub df: Option<f64>,
    /// What the estimate measures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<Scale>,
    /// Of a ratio or its logarithm: odds, risk, hazard or rate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ratio: Option<RatioKind>,
    /// Sides of the test, 1 or 2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tails: Option<u8>,
    /// The interval as published, with its level between 0 and 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<Interval>,
}

impl Original {
    /// The published figures as a finding. Of the statistic only a t with its
    /// degrees of freedom is known for what it is.
    pub fn finding(&self) -> Finding {
        let t = self.statistic.zip(self.df);
        Finding {
            name: self.term.clone(),
            estimate: Some(self.estimate),
            standard_error: Some(self.standard_error),
            interval: self.interval,
            p_value: self.p_value.map(WrittenP::as_p_value),
            n: Some(self.n),
            df: self.df,
            statistic: t.map(|(value, df)| Statistic {
                kind: StatisticKind::T,
                value,
                df: DegreesOfFreedom(vec![df]),
            }),
            sides: self.tails,
            scale: self.scale,
            ratio: self.ratio,
            ..Finding::default()
        }
    }
}

/// The smallest effect that somebody would care for. It decides nothing unless a
/// plan registers it; reports test against it beside the verdict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sesoi {
    /// Between 0 and 1.
    pub value: f64,
    /// `r`, the unit of the common scale.
    pub unit: String,
    /// The source of the value.
    pub source: String,
}

impl Sesoi {
    /// As Fisher's z.
    pub fn fisher(&self) -> Option<f64> {
        let usable = self.value > 0.0 && self.value < 1.0 && self.unit.trim() == "r";
        usable.then(|| self.value.atanh())
    }

    /// What it is, in a sentence.
    pub fn note(&self) -> String {
        format!(
            "The smallest effect of interest, r = {} ({}), is the study's; equivalence is tested by Fisher's z.",
            self.value,
            self.source.trim().trim_end_matches('.')
        )
    }
}

/// A p-value as written: exact, or with its relation.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum WrittenP {
    Exact(f64),
    Related(PValue),
}

impl WrittenP {
    /// The p-value with its relation.
    pub fn as_p_value(self) -> PValue {
        match self {
            Self::Exact(value) => PValue {
                relation: Relation::Equal,
                value,
            },
            Self::Related(p_value) => p_value,
        }
    }
}

/// One resource that a search should find.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Resource {
    /// Its name in scores.
    pub id: String,
    /// Such as dataset or codebook.
    pub kind: String,
    /// True if the replication needs it, which is the default.
    #[serde(default = "yes")]
    pub required: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filename: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Further addresses of the same resource.
    #[serde(default)]
    pub aliases: Vec<String>,
}

fn yes() -> bool {
    true
}
