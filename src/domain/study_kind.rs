//! The kind of a study, by what it takes over from the original.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{EnumIter, IntoEnumIterator};

/// The kind of a study in the words of the SCORE project. A reproduction analyses
/// the original's observations again, a replication others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumIter, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StudyKind {
    /// The authors' code on the authors' data.
    PushButton,
    /// Other code on the data that the authors analysed.
    AuthorData,
    /// The data built again from the sources that the authors took.
    SourceData,
    /// Observations that others collected and the original did not analyse.
    SecondaryData,
    /// Observations collected to test the claim again.
    NewData,
    /// Observations that the original did not analyse, of unknown origin.
    OtherData,
}

/// The origin of a study's observations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DataOrigin {
    /// The data set that the authors analysed.
    Authors,
    /// The sources from which the authors built theirs.
    Sources,
    /// Others collected them for another purpose.
    Secondary,
    /// They were collected for this study.
    Collected,
    /// They are not the original's; more is not known.
    Other,
}

/// The observations of a study, next to those that the original analysed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Observations {
    /// The original's: the question is whether its numbers come out again.
    Same,
    /// Others.
    New,
    /// Some of them, such as a panel with later waves.
    PartlySame,
}

impl Observations {
    /// The observations of data of this origin.
    pub fn from_origin(data: DataOrigin) -> Self {
        match data {
            DataOrigin::Authors | DataOrigin::Sources => Self::Same,
            DataOrigin::Secondary | DataOrigin::Collected | DataOrigin::Other => Self::New,
        }
    }

    /// As reports say it.
    pub fn words(self) -> &'static str {
        match self {
            Self::Same => "same observations",
            Self::New => "new observations",
            Self::PartlySame => "partly the same observations",
        }
    }
}

impl fmt::Display for Observations {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.words())
    }
}

/// The origin of the code that a study brings along.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CodeOrigin {
    /// Of the original's authors.
    Authors,
    /// Of whoever replicated it before.
    Replicators,
}

/// The origins of a study's parts, as it states them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origins {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<DataOrigin>,
    /// The authors', where their data come with code and nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<CodeOrigin>,
}

impl Origins {
    /// Whether nothing is said.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl StudyKind {
    /// The kind of a study with data of this origin, and whether it ran the
    /// authors' code as they wrote it.
    pub fn new(data: DataOrigin, authors_code: bool) -> Self {
        match (data, authors_code) {
            (DataOrigin::Authors, true) => Self::PushButton,
            (DataOrigin::Authors, false) => Self::AuthorData,
            (DataOrigin::Sources, _) => Self::SourceData,
            (DataOrigin::Secondary, _) => Self::SecondaryData,
            (DataOrigin::Collected, _) => Self::NewData,
            (DataOrigin::Other, _) => Self::OtherData,
        }
    }

    /// The kind of a replication as SCORE's tables write it (`repli_type`).
    pub fn from_score(repli_type: &str) -> Option<Self> {
        match repli_type.trim() {
            "new data" => Some(Self::NewData),
            "secondary data" => Some(Self::SecondaryData),
            _ => None,
        }
    }

    /// Every kind.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::iter()
    }

    /// Whether it analyses the original's observations.
    pub fn is_reproduction(self) -> bool {
        matches!(self, Self::PushButton | Self::AuthorData | Self::SourceData)
    }

    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::PushButton => "push-button reproduction",
            Self::AuthorData => "author-data reproduction",
            Self::SourceData => "source-data reproduction",
            Self::SecondaryData => "data-analytic replication",
            Self::NewData => "direct replication",
            Self::OtherData => "replication",
        }
    }

    /// SCORE's letters for it, where it has some.
    pub fn letters(self) -> Option<&'static str> {
        match self {
            Self::PushButton => Some("PBR"),
            Self::AuthorData => Some("ADR"),
            Self::SourceData => Some("SDR"),
            Self::SecondaryData => Some("DAR"),
            Self::NewData | Self::OtherData => None,
        }
    }

    /// What it takes over and what is its own, as a clause.
    pub fn explanation(self) -> &'static str {
        match self {
            Self::PushButton => "the authors' own code on the authors' own data",
            Self::AuthorData => "other code on the data that the authors analysed",
            Self::SourceData => "data built again from the authors' sources",
            Self::SecondaryData => "existing data that the original did not analyse",
            Self::NewData => "data collected to test the claim again",
            Self::OtherData => "data that the original did not analyse",
        }
    }
}

impl fmt::Display for StudyKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.letters() {
            Some(letters) => write!(formatter, "{} ({letters})", self.name()),
            None => formatter.write_str(self.name()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_counts_only_on_the_authors_data() {
        let of = |data| [true, false].map(|code| StudyKind::new(data, code).to_string());
        assert_eq!(
            of(DataOrigin::Authors),
            ["push-button reproduction (PBR)", "author-data reproduction (ADR)"]
        );
        for (data, name) in [
            (DataOrigin::Sources, "source-data reproduction (SDR)"),
            (DataOrigin::Secondary, "data-analytic replication (DAR)"),
            (DataOrigin::Collected, "direct replication"),
            (DataOrigin::Other, "replication"),
        ] {
            assert_eq!(of(data), [name, name]);
        }
    }

    #[test]
    fn a_reproduction_says_so() {
        for kind in StudyKind::all() {
            let said = kind.name().contains("reproduction");
            assert_eq!(said, kind.is_reproduction(), "{kind}");
        }
        assert_eq!(
            StudyKind::from_score("secondary data"),
            Some(StudyKind::SecondaryData)
        );
        assert_eq!(StudyKind::from_score("hybrid"), None);
    }
}
