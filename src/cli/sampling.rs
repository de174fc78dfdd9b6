//! Sampling of a model's answers, as it is typed.

use clap::Args;

use crate::domain::sampling::{Effort, Sampling};

/// The settings that a model is told besides its conversation.
#[derive(Debug, Clone, Copy, Default, Args)]
pub struct SamplingArgs {
    /// How hard the model is to think; the table of models says which efforts each takes
    /// [default: the provider's]
    #[arg(long, value_enum, help_heading = "Model")]
    effort: Option<Effort>,
    /// The temperature, from 0 to 2; reasoning models take none [default: the provider's]
    #[arg(long, value_name = "NUMBER", value_parser = temperature, help_heading = "Model")]
    temperature: Option<f64>,
}

impl SamplingArgs {
    /// The sampling as it was typed.
    pub fn sampling(self) -> Sampling {
        Sampling {
            temperature: self.temperature,
            effort: self.effort,
            seed: None,
        }
    }
}

/// A text that is no temperature.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("give a number from 0 to 2")]
pub(super) struct NoTemperature;

/// A temperature that any provider takes.
pub(super) fn temperature(text: &str) -> Result<f64, NoTemperature> {
    text.parse()
        .ok()
        .filter(|number| (0.0..=2.0).contains(number))
        .ok_or(NoTemperature)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_temperature_is_a_number_within_its_range() {
        assert_eq!(temperature("0.7"), Ok(0.7));
        for text in ["-0.1", "2.1", "NaN", "inf", "warm", ""] {
            assert!(temperature(text).is_err(), "{text}");
        }
    }
}
