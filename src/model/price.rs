//! The price of a model's tokens; the table is `prices.toml`.

use serde::Deserialize;

use crate::domain::usage::{MicroDollars, Usage};

/// Prices in US dollars for a million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    pub input: f64,
    /// For input served from the provider's cache.
    pub cached: f64,
    /// For output, reasoning included.
    pub output: f64,
}

impl Price {
    /// What some tokens cost, rounded up to a millionth of a dollar.
    pub fn cost(&self, usage: Usage) -> MicroDollars {
        let cached = usage.cached.min(usage.input);
        // Dollars for a million tokens are millionths of a dollar for one; the
        // sum is kept in millionths of those, which prices are whole in.
        let parts = [
            (usage.input - cached, self.input),
            (cached, self.cached),
            (usage.output, self.output),
        ];
        let sum: u128 = parts
            .into_iter()
            .map(|(tokens, price)| u128::from(tokens) * u128::from(millionths(price)))
            .sum();
        MicroDollars(u64::try_from(sum.div_ceil(1_000_000)).unwrap_or(u64::MAX))
    }

    pub(super) fn is_sound(&self) -> bool {
        [self.input, self.cached, self.output].into_iter().all(is_sound)
    }
}

/// Whether a price can be one.
pub(super) fn is_sound(price: f64) -> bool {
    (0.0..=1e6).contains(&price)
}

/// A sound price has at most 10^12 millionths, which both types hold exactly.
pub(super) fn millionths(price: f64) -> u64 {
    (price * 1e6).round() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::capabilities::ModelTable;

    #[test]
    fn a_call_costs_what_its_tokens_cost() {
        let price = ModelTable::built_in()
            .unwrap()
            .get("openai/gpt-5-2025-08-07")
            .price
            .unwrap();
        let usage = Usage {
            input: 1_000_000,
            cached: 400_000,
            output: 100_000,
            reasoning: 90_000,
        };
        // 0.6 x 1.25 + 0.4 x 0.125 + 0.1 x 10 dollars.
        assert_eq!(price.cost(usage), MicroDollars(1_800_000));
        let one = Usage {
            input: 1,
            ..Usage::default()
        };
        assert_eq!(price.cost(one), MicroDollars(2), "1.25 millionths are rounded up");
        let absurd = Usage {
            input: u64::MAX,
            output: u64::MAX,
            ..Usage::default()
        };
        assert_eq!(price.cost(absurd), MicroDollars(u64::MAX));
    }
}
