//! One lookup and its result.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::span::TextSpan;

/// The kind of thing that is looked up.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    JsonSchema,
    strum::Display,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Sought {
    Quotation,
    Location,
    Number,
}

/// The standing of a statement in the paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// In the paper, and where it is said to be if that is said.
    Found,
    /// In the paper, on another page than is said; of a section or table: mentioned only.
    Elsewhere,
    /// In the paper, with another sign or in other words.
    Altered,
    /// In the paper, where numbers like it are so many that this tells little.
    Common,
    Absent,
}

impl Standing {
    /// The standing in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Found => "found",
            Self::Elsewhere => "found elsewhere",
            Self::Altered => "found altered",
            Self::Common => "found, but common",
            Self::Absent => "absent",
        }
    }
}

/// A place in the paper.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PaperPlace {
    /// From 1, as a viewer counts; absent where the paper has no pages.
    pub page: Option<u32>,
    /// The page's printed number, where it differs.
    pub printed: Option<u32>,
    /// The line, or the words around.
    pub context: String,
}

/// One thing that was looked up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Line {
    pub sought: Sought,
    /// The field of the post-registration, such as `results.numerical_results[0].value`.
    pub field: String,
    /// As the post-registration writes it.
    pub text: String,
    pub standing: Standing,
    pub place: Option<PaperPlace>,
    /// The result's name, or the sentence around it, to which the number belongs.
    pub supports: Option<String>,
    /// A further remark, in a clause.
    pub note: Option<String>,
    /// The parts of lines that a marked copy of the paper shows; none on disk.
    #[serde(skip)]
    pub spans: Vec<TextSpan>,
    /// The page that the extraction names for it; none on disk.
    #[serde(skip)]
    pub stated_page: Option<u32>,
}
