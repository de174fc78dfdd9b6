//! Tokens and money.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign};

use serde::{Deserialize, Serialize};

/// Tokens of one or more model calls, as the provider counted them, or as they were
/// estimated where it did not.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Usage {
    /// Prompt tokens, cached ones included.
    pub input: u64,
    /// Prompt tokens that the provider served from its cache.
    pub cached: u64,
    /// Prompt tokens that the provider wrote to its cache, for minutes and for an hour.
    #[serde(skip_serializing_if = "is_zero")]
    pub written: u64,
    #[serde(skip_serializing_if = "is_zero")]
    pub written_long: u64,
    /// Completion tokens, reasoning included.
    pub output: u64,
    /// Completion tokens spent on hidden reasoning.
    pub reasoning: u64,
    /// Those of input and output that the provider did not count, and that are estimates.
    #[serde(skip_serializing_if = "is_zero")]
    pub estimated: u64,
}

/// Whether a count is left out where it is written.
pub fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Usage {
    /// Whether nothing was used.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// Input and output together.
    pub fn total(self) -> u64 {
        self.input.saturating_add(self.output)
    }
}

impl Add for Usage {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            input: self.input.saturating_add(other.input),
            cached: self.cached.saturating_add(other.cached),
            written: self.written.saturating_add(other.written),
            written_long: self.written_long.saturating_add(other.written_long),
            output: self.output.saturating_add(other.output),
            reasoning: self.reasoning.saturating_add(other.reasoning),
            estimated: self.estimated.saturating_add(other.estimated),
        }
    }
}

impl AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

/// Money in millionths of a US dollar.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MicroDollars(pub u64);

impl Sum for MicroDollars {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |sum, one| Self(sum.0.saturating_add(one.0)))
    }
}

impl fmt::Display for MicroDollars {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "${}.{:04}",
            self.0 / 1_000_000,
            self.0 % 1_000_000 / 100
        )
    }
}
