//! `[limits]` of an agent's file.

use serde::{Deserialize, Serialize};

use crate::domain::usage::MicroDollars;
use crate::policy::limits::Budget;
use crate::policy::scope::Scope;

/// The largest sum that an agent's file may allow, in dollars.
const MOST_DOLLARS: f64 = 1e6;

/// The limits of an attempt by an agent, where nobody sets others.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentLimits {
    /// Seconds at work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<u64>,
    /// Calls of the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turns: Option<u64>,
    /// US dollars; a model without a price cannot be held to them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dollars: Option<f64>,
}

impl AgentLimits {
    /// Whether nothing is limited.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// What keeps the limits from being used.
    pub(super) fn fault(&self) -> Option<String> {
        if self.seconds == Some(0) || self.turns == Some(0) {
            return Some(
                "a limit of 0 lets no attempt begin: leave the key out where nothing limits".to_owned(),
            );
        }
        let dollars = self
            .dollars
            .filter(|dollars| !(*dollars > 0.0 && *dollars <= MOST_DOLLARS))?;
        Some(format!(
            "{dollars} dollars are no sum above 0 and up to {MOST_DOLLARS}"
        ))
    }

    /// Sets each cap of a run that nobody has set; that of money where the model has a price.
    pub fn lay_under(&self, budget: &mut Budget, is_priced: bool) {
        let caps = budget.at(Scope::Run);
        caps.seconds = caps.seconds.or(self.seconds);
        caps.turns = caps.turns.or(self.turns);
        let money = self
            .dollars
            .map(|dollars| MicroDollars((dollars * 1e6).round() as u64));
        caps.money = caps.money.or(money.filter(|_| is_priced));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: AgentLimits = AgentLimits {
        seconds: Some(60),
        turns: None,
        dollars: Some(1.25),
    };

    #[test]
    fn what_somebody_has_set_stands_and_money_is_held_where_it_can_be() {
        let laid = |seconds: Option<u64>, is_priced: bool| {
            let mut budget = Budget::default();
            budget.at(Scope::Run).seconds = seconds;
            LIMITS.lay_under(&mut budget, is_priced);
            let caps = budget.caps(Scope::Run);
            (caps.seconds, caps.turns, caps.money)
        };
        assert_eq!(laid(None, true), (Some(60), None, Some(MicroDollars(1_250_000))));
        assert_eq!(laid(Some(5), false), (Some(5), None, None));
    }

    #[test]
    fn limits_that_let_nothing_begin_are_faults() {
        assert_eq!(LIMITS.fault(), None);
        for dollars in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let limits = AgentLimits {
                dollars: Some(dollars),
                ..LIMITS
            };
            assert!(limits.fault().is_some(), "{dollars}");
        }
        let still = AgentLimits {
            turns: Some(0),
            ..LIMITS
        };
        assert!(still.fault().is_some_and(|fault| fault.contains("limit of 0")));
    }
}
