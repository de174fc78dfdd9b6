//! The levels of a match that count.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::scoring::url_match::level::Level;

/// The farthest level that counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Limit {
    /// The resource itself: up to [`Level::SameRecord`].
    Strict,
    /// Also another case of the path, other versions, pages above or below, and a front
    /// page that the gold set lists.
    Lenient,
    /// Also anything on the registrable domain: an upper bound that means little.
    Domain,
}

impl Limit {
    /// All limits, the strictest first.
    pub const ALL: [Self; 3] = [Self::Strict, Self::Lenient, Self::Domain];

    /// The limit's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Strict => "strict",
            Self::Lenient => "lenient",
            Self::Domain => "domain",
        }
    }

    /// True if a match at a level counts.
    pub fn admits(self, level: Level) -> bool {
        level
            <= match self {
                Self::Strict => Level::SameRecord,
                Self::Lenient => Level::FrontPage,
                Self::Domain => Level::Domain,
            }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}
