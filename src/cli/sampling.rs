//! Sampling of a model's answers, as it is typed.

use clap::Args;

use crate::domain::answer_patience::AnswerPatience;
use crate::domain::sampling::{Effort, Sampling};

use super::patience_args::PatienceArgs;

/// The largest seed: providers read them as whole numbers of 64 bits with a sign.
pub(super) const MOST_SEED: u64 = u64::MAX >> 1;

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
    /// The share of likely words that answers are drawn from, above 0 to 1; reasoning models take none
    /// [default: the provider's]
    #[arg(long, value_name = "NUMBER", value_parser = top_p, help_heading = "Model")]
    top_p: Option<f64>,
    /// The seed of the model's draws, which providers take as a wish; through the Messages and the Responses interface
    /// there is none [default: none is sent]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u64).range(..=MOST_SEED), help_heading = "Model")]
    seed: Option<u64>,
    #[command(flatten)]
    patience: PatienceArgs,
}

impl SamplingArgs {
    /// The patience with its answers.
    pub fn patience(self) -> AnswerPatience {
        self.patience.patience()
    }

    /// The sampling as it was typed.
    pub fn sampling(self) -> Sampling {
        Sampling {
            temperature: self.temperature,
            effort: self.effort,
            top_p: self.top_p,
            seed: self.seed,
            ..Sampling::default()
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

/// A text that is no share of likely words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("give a number above 0, and 1 at most")]
pub(super) struct NoShare;

/// A share of likely words that any provider takes.
pub(super) fn top_p(text: &str) -> Result<f64, NoShare> {
    text.parse()
        .ok()
        .filter(|number| *number > 0.0 && *number <= 1.0)
        .ok_or(NoShare)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_within_their_ranges() {
        assert_eq!(temperature("0.7"), Ok(0.7));
        for text in ["-0.1", "2.1", "NaN", "inf", "warm", ""] {
            assert!(temperature(text).is_err(), "{text}");
        }
        assert_eq!((top_p("0.5"), top_p("1")), (Ok(0.5), Ok(1.0)));
        for text in ["0", "1.1", "NaN", "half"] {
            assert!(top_p(text).is_err(), "{text}");
        }
    }
}
