//! Prices of models.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::usage::{MicroDollars, Usage};

/// Prices in US dollars for a million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    pub input: f64,
    /// For input served from the provider's cache.
    pub cached: f64,
    /// For output, reasoning included.
    pub output: f64,
    /// For input that the provider writes to its cache, for minutes and for an hour; as `input` if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written_long: Option<f64>,
}

impl Price {
    /// What some tokens cost, rounded up to a millionth of a dollar.
    pub fn cost(&self, usage: Usage) -> MicroDollars {
        let cached = usage.cached.min(usage.input);
        let written = usage.written.min(usage.input - cached);
        let written_long = usage.written_long.min(usage.input - cached - written);
        // Dollars for a million tokens are millionths of a dollar for one; the
        // sum is kept in millionths of those, which prices are whole in.
        let parts = [
            (usage.input - cached - written - written_long, self.input),
            (cached, self.cached),
            (written, self.written.unwrap_or(self.input)),
            (written_long, self.written_long.unwrap_or(self.input)),
            (usage.output, self.output),
        ];
        let sum: u128 = parts
            .into_iter()
            .map(|(tokens, price)| u128::from(tokens) * u128::from(millionths(price)))
            .sum();
        MicroDollars(u64::try_from(sum.div_ceil(1_000_000)).unwrap_or(u64::MAX))
    }

    /// Whether each part is an amount that a provider could ask.
    pub fn is_sound(&self) -> bool {
        let known = [self.input, self.cached, self.output];
        known
            .into_iter()
            .chain(self.written)
            .chain(self.written_long)
            .all(is_sound)
    }
}

/// The prices of a run's models, by their full names; those that are not known are absent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Prices(BTreeMap<String, Price>);

impl Prices {
    /// The price of a model.
    pub fn get(&self, model: &str) -> Option<Price> {
        self.0.get(model).copied()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl FromIterator<(String, Price)> for Prices {
    fn from_iter<I: IntoIterator<Item = (String, Price)>>(all: I) -> Self {
        Self(all.into_iter().collect())
    }
}

/// Whether a price is an amount from nothing to a million dollars.
pub fn is_sound(price: f64) -> bool {
    (0.0..=1e6).contains(&price)
}

/// A sound amount of dollars.
pub fn charge(dollars: f64) -> MicroDollars {
    MicroDollars(millionths(dollars))
}

/// A sound price has at most 10^12 millionths, which both types hold exactly.
fn millionths(price: f64) -> u64 {
    (price * 1e6).round() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_costs_what_its_tokens_cost() {
        let price = Price {
            input: 1.25,
            cached: 0.125,
            output: 10.0,
            written: None,
            written_long: None,
        };
        let usage = Usage {
            input: 1_000_000,
            cached: 400_000,
            output: 100_000,
            reasoning: 90_000,
            ..Usage::default()
        };
        // 0.6 x 1.25 + 0.4 x 0.125 + 0.1 x 10 dollars.
        assert_eq!(price.cost(usage), MicroDollars(1_800_000));
        let writing = Price {
            written: Some(1.5),
            written_long: Some(2.5),
            ..price
        };
        let written = Usage {
            written: 100_000,
            written_long: 200_000,
            ..usage
        };
        assert_eq!(
            price.cost(written),
            price.cost(usage),
            "no price is known for that"
        );
        // 0.3 x 1.25 + 0.4 x 0.125 + 0.1 x 1.5 + 0.2 x 2.5 + 0.1 x 10 dollars.
        assert_eq!(writing.cost(written), MicroDollars(2_075_000));
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
