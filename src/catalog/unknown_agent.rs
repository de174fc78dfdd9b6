//! An agent that a run names and that there is not.

use std::fmt;

use super::stages::plain_agent::{ABOUT_PLAIN, PLAIN};

/// A name that no agent of a track has, with those that some have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct UnknownAgent {
    pub name: String,
    pub track: String,
    /// The agents of this program that can go through the track's stages, beside our own loop.
    pub own: Vec<String>,
    /// Those that are programs of others.
    pub programs: Vec<String>,
}

impl fmt::Display for UnknownAgent {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "there is no agent `{}` for the track `{}`: part of this program are {PLAIN} ({ABOUT_PLAIN})",
            self.name, self.track
        )?;
        for own in &self.own {
            write!(formatter, ", {own}")?;
        }
        write!(
            formatter,
            "; programs of others are {}; `--stages-dir` and `--agents-dir` may hold further ones",
            self.programs.join(", ")
        )
    }
}
