//! Levels of tasks, and the runners whose layouts are followed.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::domain::excerpt;

/// A level of CORE-Bench.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// The results are there to be read.
    Easy,
    /// The code is there with how it is run.
    Medium,
    /// The code is there.
    Hard,
}

/// The runner whose layout is followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Layout {
    /// CORE-Bench's own.
    Original,
    /// That of the Holistic Agent Leaderboard.
    Hal,
    /// That of CORE-Bench v1.1.
    #[serde(rename = "v1.1")]
    V1_1,
    /// That of inspect-evals.
    Inspect,
}

/// A word that names no level, or no layout.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnknownWord {
    #[error("`{0}` is no level: choose easy, medium or hard")]
    Level(String),
    #[error("`{0}` is no layout: choose original, hal, v1.1 or inspect")]
    Layout(String),
}

impl Level {
    /// Every level, the easiest first.
    pub const ALL: [Self; 3] = [Self::Easy, Self::Medium, Self::Hard];

    /// The level as it is typed.
    pub fn word(self) -> &'static str {
        match self {
            Self::Easy => "easy",
            Self::Medium => "medium",
            Self::Hard => "hard",
        }
    }
}

impl Layout {
    /// Every layout.
    pub const ALL: [Self; 4] = [Self::Original, Self::Hal, Self::V1_1, Self::Inspect];

    /// The layout as it is typed.
    pub fn word(self) -> &'static str {
        match self {
            Self::Original => "original",
            Self::Hal => "hal",
            Self::V1_1 => "v1.1",
            Self::Inspect => "inspect",
        }
    }

    /// Whether folders are made only for the files in them, so that empty ones vanish.
    pub fn copies_files_alone(self) -> bool {
        matches!(self, Self::Hal | Self::V1_1)
    }
}

impl FromStr for Level {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|level| level.word() == text);
        found.ok_or_else(|| UnknownWord::Level(excerpt::shortened(text, 50)))
    }
}

impl FromStr for Layout {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|layout| layout.word() == text);
        found.ok_or_else(|| UnknownWord::Layout(excerpt::shortened(text, 50)))
    }
}

impl fmt::Display for Level {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.word())
    }
}

impl fmt::Display for Layout {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.word())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_as_they_are_written_in_json_too() {
        for level in Level::ALL {
            assert_eq!(level.to_string().parse(), Ok(level));
            assert_eq!(serde_json::to_value(level).unwrap(), level.word());
        }
        for layout in Layout::ALL {
            assert_eq!(layout.to_string().parse(), Ok(layout));
            assert_eq!(serde_json::to_value(layout).unwrap(), layout.word());
        }
        let error = "Hard".parse::<Level>().unwrap_err().to_string();
        assert_eq!(error, "`Hard` is no level: choose easy, medium or hard");
        assert!("v1".parse::<Layout>().unwrap_err().to_string().contains("v1.1"));
    }
}
