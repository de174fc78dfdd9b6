//! A run's budget, as it is typed.

use clap::Args;

use crate::app::program::Program;
use crate::domain::track::Track;
use crate::engine::request::{Approve, RunRequest};
use crate::policy::cap::{Cap, CapError};
use crate::policy::file::PolicyFile;
use crate::policy::limits::{Budget, Caps};
use crate::policy::scope::Quantity;

use super::exit::Failure;

/// Caps on what the model's calls come to.
#[derive(Debug, Default, Args)]
pub struct BudgetArgs {
    /// Model calls at most. SCOPE is `run` (where none is given), `stage` for each
    /// stage, or a stage's name; every cap can be given several times.
    #[arg(long = "max-turns", value_name = "[SCOPE=]COUNT", value_parser = turns, help_heading = "Budget")]
    turns: Vec<Cap>,
    /// Input and output tokens at most, such as `2M`, `design=500k` or, for each call, `turn=40k`.
    #[arg(long = "max-tokens", value_name = "[SCOPE=]COUNT", value_parser = tokens, help_heading = "Budget")]
    tokens: Vec<Cap>,
    /// US dollars at most, such as `5` or `turn=0.25`.
    #[arg(long = "max-cost", value_name = "[SCOPE=]USD", value_parser = money)]
    money: Vec<Cap>,
    /// Time at work at most, such as `90m`; waits for a person do not count. An
    /// execution under way is stopped, and run again when the run is resumed.
    #[arg(long = "max-time", value_name = "[SCOPE=]TIME", value_parser = time, help_heading = "Budget")]
    time: Vec<Cap>,
    /// Ask a model whose price is unknown.
    #[arg(long, help_heading = "Budget")]
    pub allow_unpriced: bool,
}

impl BudgetArgs {
    /// The caps that were given.
    pub fn caps(&self) -> Budget {
        let mut budget = Budget::default();
        for cap in [&self.turns, &self.tokens, &self.money, &self.time]
            .into_iter()
            .flatten()
        {
            budget.set(*cap);
        }
        budget
    }
}

/// The caps of a policy file, with those that were typed laid over them.
///
/// # Errors
/// A policy file that cannot be read as one.
pub fn resolve(approve: &Approve, typed: &Budget) -> Result<Budget, Failure> {
    let written = match approve {
        Approve::Policy(policy) => PolicyFile::parse(&policy.name, &policy.text)
            .map_err(|error| Failure::usage(error.to_string()))?
            .budget()
            .clone(),
        Approve::Ask | Approve::Auto | Approve::Deny => Budget::default(),
    };
    Ok(written.overlaid(typed))
}

/// Refuses typed caps on a stage that the track of a run that has begun has not.
///
/// # Errors
/// A cap that names such a stage, or definitions that cannot be used.
pub fn check_again(program: &Program, typed: &BudgetArgs, request: &RunRequest) -> Result<(), Failure> {
    let caps = typed.caps();
    if caps.is_empty() {
        return Ok(());
    }
    let (track, overrides) = (request.track.as_deref(), request.stages_dir.as_deref());
    check(&caps, program.tracks.catalog(track, overrides)?.track())
}

/// Refuses a cap on a stage that the track has not: it would never hold.
///
/// # Errors
/// A cap that names such a stage.
pub fn check(budget: &Budget, track: &Track) -> Result<(), Failure> {
    for stage in budget.stages() {
        track.has(stage).map_err(|problem| {
            Failure::usage(format!("a cap for {problem}, or `turn`, `stage` and `run`"))
        })?;
    }
    Ok(())
}

/// Refuses caps on the cells of a bench for a run by itself.
///
/// # Errors
/// Such a cap.
pub fn refuse_batch(caps: &Caps) -> Result<(), Failure> {
    match *caps == Caps::default() {
        true => Ok(()),
        false => Err(Failure::usage(
            "a cap of `batch=` holds for the cells of a bench: cap the run, or write it into the bench file's `[limits]`",
        )),
    }
}

fn turns(text: &str) -> Result<Cap, CapError> {
    Cap::parse(Quantity::Turns, text)
}

fn tokens(text: &str) -> Result<Cap, CapError> {
    Cap::parse(Quantity::Tokens, text)
}

fn money(text: &str) -> Result<Cap, CapError> {
    Cap::parse(Quantity::Money, text)
}

fn time(text: &str) -> Result<Cap, CapError> {
    Cap::parse(Quantity::Seconds, text)
}
