//! The cost of model calls: tokens, money, and where the time went.

use serde::{Deserialize, Serialize};

use crate::domain::usage::{MicroDollars, Usage, is_zero};
use crate::domain::waiting::Waiting;
use crate::run::stage_state::StageState;

/// The model calls of a stage or a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spending {
    /// Calls that were answered.
    pub calls: u64,
    /// Those of them whose tokens the provider did not count; tokens and money
    /// are too low by what they came to.
    pub uncounted: u64,
    /// Hosted searches of which it is not known what they cost beside their
    /// tokens; the money is too low by that.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub searches_without_fee: u64,
    pub usage: Usage,
    /// `None` where the model's price is unknown.
    pub money: Option<MicroDollars>,
    /// Milliseconds from the first attempt of each call to its answer, without
    /// the waits.
    pub working_ms: u64,
    /// Milliseconds between attempts and in line, in vain or not.
    pub waiting_ms: u64,
    /// Attempts that failed.
    pub retries: u64,
}

impl Spending {
    /// A stage's spending, without its money.
    pub fn from_stage(stage: &StageState) -> Self {
        let mut spending = Self {
            searches_without_fee: stage.searches_without_fee(),
            ..Self::default()
        };
        let mut waited = stage.in_vain;
        for turn in &stage.turns {
            spending.calls += 1;
            spending.uncounted += u64::from(turn.usage == Usage::default());
            spending.usage += turn.usage;
            spending.working_ms = spending
                .working_ms
                .saturating_add(turn.wall_ms.saturating_sub(turn.waiting.ms));
            waited += turn.waiting;
        }
        spending.usage += waited.lost;
        for (_, usage) in stage.beside() {
            spending.calls += 1;
            spending.usage += usage;
        }
        spending.note(waited);
        spending
    }

    fn note(&mut self, waited: Waiting) {
        self.waiting_ms = waited.ms;
        self.retries = u64::from(waited.retries);
    }

    /// The same, with what it cost.
    pub fn costing(self, money: Option<MicroDollars>) -> Self {
        Self { money, ..self }
    }

    /// Several together, without their money.
    pub fn sum(all: impl IntoIterator<Item = Self>) -> Self {
        all.into_iter().fold(Self::default(), |sum, one| Self {
            calls: sum.calls + one.calls,
            uncounted: sum.uncounted + one.uncounted,
            searches_without_fee: sum.searches_without_fee + one.searches_without_fee,
            usage: sum.usage + one.usage,
            money: None,
            working_ms: sum.working_ms.saturating_add(one.working_ms),
            waiting_ms: sum.waiting_ms.saturating_add(one.waiting_ms),
            retries: sum.retries.saturating_add(one.retries),
        })
    }

    /// The share of prompt tokens that came from the provider's cache; `None`
    /// where no prompt token was counted.
    pub fn cached_share(&self) -> Option<f64> {
        let input = self.usage.input;
        (input > 0).then(|| self.usage.cached.min(input) as f64 / input as f64)
    }
}
