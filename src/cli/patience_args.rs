//! The patience with a model's answers, as it is typed.

use clap::Args;

use crate::domain::answer_patience::AnswerPatience;

/// The longest time that can be asked for: a week, in seconds.
pub(super) const MOST_SECONDS: u32 = 7 * 24 * 3600;
/// Most attempts at one answer.
pub(super) const MOST_ANSWER_ATTEMPTS: u32 = 100;

/// The settings of a slow or an unreliable server.
#[derive(Debug, Clone, Copy, Default, Args)]
pub struct PatienceArgs {
    /// Seconds that one answer may take, from its first sign of life on; time in a server's queue does not count
    /// [default: 3600]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_SECONDS)), help_heading = "Model")]
    answer_time: Option<u32>,
    /// Seconds without a sign of life after which an answer is given up [default: 120, and 600 before the first]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_SECONDS)), help_heading = "Model")]
    answer_silence: Option<u32>,
    /// Attempts at one answer, the first one included [default: 8]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_ANSWER_ATTEMPTS)), help_heading = "Model")]
    answer_attempts: Option<u32>,
}

impl PatienceArgs {
    /// The patience as it was typed.
    pub fn patience(self) -> AnswerPatience {
        AnswerPatience {
            answer_seconds: self.answer_time,
            silence_seconds: self.answer_silence,
            attempts: self.answer_attempts,
        }
    }
}
