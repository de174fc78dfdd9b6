//! The five stages of a replication.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{EnumIter, IntoEnumIterator};

/// A stage, in the order in which a run goes through them.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, EnumIter, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Stage {
    /// Paper and claim to a post-registration.
    Extract,
    /// Paper and claim to candidate data sources.
    Search,
    /// Everything so far to a preregistered plan and code.
    Design,
    /// The plan, in a sandbox, to an execution report.
    Execute,
    /// Everything to a conclusion.
    Interpret,
}

/// The group that a stage is reported under.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Group {
    Extraction,
    Generation,
    Interpretation,
}

impl Stage {
    /// All stages, in order.
    pub fn all() -> impl DoubleEndedIterator<Item = Self> {
        Self::iter()
    }

    /// The name used on the command line, in files and in folders.
    pub fn name(self) -> &'static str {
        match self {
            Self::Extract => "extract",
            Self::Search => "search",
            Self::Design => "design",
            Self::Execute => "execute",
            Self::Interpret => "interpret",
        }
    }

    /// The group that the stage belongs to.
    pub fn group(self) -> Group {
        match self {
            Self::Extract | Self::Search => Group::Extraction,
            Self::Design | Self::Execute => Group::Generation,
            Self::Interpret => Group::Interpretation,
        }
    }

    /// The file that the stage's agent answers with.
    pub fn artifact(self) -> &'static str {
        match self {
            Self::Extract => "post_registration.json",
            Self::Search => "search_results.json",
            Self::Design => "replication_info.json",
            Self::Execute => "execution_results.json",
            Self::Interpret => "interpret_results.json",
        }
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

impl FromStr for Stage {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::all().find(|stage| stage.name() == text).ok_or_else(|| {
            let names: Vec<_> = Self::all().map(Self::name).collect();
            format!("`{text}` is not a stage: expected one of {}", names.join(", "))
        })
    }
}

/// A closed range of stages, written `FROM..TO`, `FROM..`, `..TO` or one name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct StageRange {
    pub from: Stage,
    pub to: Stage,
}

impl StageRange {
    /// Every stage.
    pub const ALL: Self = Self {
        from: Stage::Extract,
        to: Stage::Interpret,
    };

    /// The stages in the range, in order.
    pub fn stages(self) -> impl Iterator<Item = Stage> {
        Stage::all().filter(move |stage| self.contains(*stage))
    }

    /// Whether `stage` lies in the range.
    pub fn contains(self, stage: Stage) -> bool {
        self.from <= stage && stage <= self.to
    }
}

impl fmt::Display for StageRange {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}..{}", self.from, self.to)
    }
}

impl FromStr for StageRange {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (from, to) = match text.split_once("..") {
            Some((from, to)) => (from, to),
            None => (text, text),
        };
        let from = if from.is_empty() {
            Stage::Extract
        } else {
            from.parse()?
        };
        let to = if to.is_empty() {
            Stage::Interpret
        } else {
            to.parse()?
        };
        if to < from {
            return Err(format!("`{text}` runs backwards: {to} comes before {from}"));
        }
        Ok(Self { from, to })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read_leniently_and_never_backwards() {
        assert_eq!("extract..interpret".parse(), Ok(StageRange::ALL));
        assert_eq!("..".parse(), Ok(StageRange::ALL));
        let one: StageRange = "design".parse().unwrap();
        assert_eq!(one.stages().collect::<Vec<_>>(), [Stage::Design]);
        assert!("interpret..extract".parse::<StageRange>().is_err());
        assert!(
            "desing"
                .parse::<StageRange>()
                .unwrap_err()
                .contains("extract, search")
        );
    }
}
