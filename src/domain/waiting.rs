//! The cost of a model call besides its answer: time without the provider working on it, and attempts without an answer.

use std::ops::{Add, AddAssign};

use serde::{Deserialize, Serialize};

use super::usage::Usage;

/// The waiting time before the attempt that was answered: other attempts and waits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Waiting {
    /// Milliseconds between attempts, and in line behind other calls.
    pub ms: u64,
    /// Attempts that failed.
    pub retries: u32,
    /// Tokens of attempts that gave no answer, and that the provider may charge.
    #[serde(skip_serializing_if = "Usage::is_none")]
    pub lost: Usage,
}

impl Waiting {
    /// Whether the first attempt was made at once and answered.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

impl Add for Waiting {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            ms: self.ms.saturating_add(other.ms),
            retries: self.retries.saturating_add(other.retries),
            lost: self.lost + other.lost,
        }
    }
}

impl AddAssign for Waiting {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}
