//! The options of whoever asks a judge: how it draws, and what it may spend.

use clap::Args;

use super::exit::Failure;
use super::sampling::temperature;
use crate::domain::usage::MicroDollars;
use crate::policy::limits::Caps;

/// The asking of a judge: how it draws, and out of which account.
#[derive(Debug, Clone, Default, Args)]
pub struct JudgeArgs {
    /// Changes the orders in which repeats show what is judged; a judge that takes a seed has it as its own.
    #[arg(long, value_name = "NUMBER")]
    pub judge_seed: Option<u64>,
    /// The judges' temperature, from 0 to 2; judges that choose their own are named and asked without
    /// [default: the provider's]
    #[arg(long, value_name = "NUMBER", value_parser = temperature)]
    pub judge_temperature: Option<f64>,
    /// Most tokens that one judge may spend on one run; a call that could go beyond is not made.
    #[arg(long, value_name = "TOKENS")]
    pub judge_tokens: Option<u64>,
    /// Most money that one judge may spend on one run; a call that could go beyond is not made.
    #[arg(long, value_name = "DOLLARS")]
    pub judge_dollars: Option<f64>,
}

impl JudgeArgs {
    /// What one judge may spend on one run.
    ///
    /// # Errors
    /// An amount of money that is none.
    pub fn caps(&self) -> Result<Caps, Failure> {
        Ok(Caps {
            tokens: self.judge_tokens,
            money: self.judge_dollars.map(dollars).transpose()?,
            ..Caps::default()
        })
    }
}

fn dollars(amount: f64) -> Result<MicroDollars, Failure> {
    if !(0.0..=1e9).contains(&amount) {
        return Err(Failure::usage(format!(
            "--judge-dollars is {amount}: give an amount from 0 to a thousand millions, such as 2.50"
        )));
    }
    Ok(MicroDollars((amount * 1e6).round() as u64))
}
