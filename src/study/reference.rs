//! What `study.toml` says of the answer: how the claim was published, how its
//! replication ended, and what a search should find.

use serde::{Deserialize, Serialize};

use crate::domain::finding::{PValue, Relation};
use crate::domain::verdict::HumanLabel;

/// What only scoring and reports may know.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Reference {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Label>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub original: Option<Original>,
    /// Gold of the search stage.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resources: Vec<Resource>,
}

/// How the human replication ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Label {
    pub label: HumanLabel,
}

/// The published figures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Original {
    pub term: String,
    pub estimate: f64,
    pub standard_error: f64,
    pub n: u64,
    /// A number, or a table `{ relation = "<", value = 0.001 }`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p_value: Option<WrittenP>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statistic: Option<f64>,
    /// Degrees of freedom of the statistic, where it is a t.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub df: Option<f64>,
}

/// A p-value as written: exact, or with its relation.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resource {
    pub id: String,
    pub kind: String,
    #[serde(default = "yes")]
    pub required: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filename: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    #[serde(default)]
    pub aliases: Vec<String>,
}

fn yes() -> bool {
    true
}
