//! The terms of an agent of our own.

use super::args::{AttemptArgs, PublishedLimits};
use crate::app::program::Program;
use crate::capsule::agent::CapsuleAgent;
use crate::capsule::task_file::TaskFile;
use crate::cli::exit::{Failure, Status};
use crate::cli::prepared_attempt::PreparedAttempt;
use crate::model::access::Access;
use crate::model::name::{HUMAN, is_recording};
use crate::policy::scope::Scope;
use crate::scoring::released::capsule::tallies::is_about_figure;

/// Has an agent of our own attempt a capsule: the core agent with a limit of cost where none is set and
/// the model has a price, and with somebody who looks at figures where the task asks about any.
///
/// # Errors
/// A table of models or a task file that cannot be read, or figures that nobody would see.
pub fn lay_terms(
    program: &Program,
    args: &AttemptArgs,
    agent: CapsuleAgent,
    prepared: &mut PreparedAttempt,
) -> Result<(), Failure> {
    let request = &mut prepared.request;
    let Some(capsule) = &mut request.capsule else {
        return Ok(());
    };
    capsule.agent = agent;
    // A recording costs nothing, and has looked or not.
    if agent == CapsuleAgent::Plain || is_recording(&request.model) || request.model == HUMAN {
        return Ok(());
    }
    let access = Access::open(&program.settings).map_err(|error| Failure::usage(error.to_string()))?;
    let known = access.capabilities(&request.model);
    let is_priced = known.price.is_some();
    let sees = request.vision_model.is_some() || known.vision == Some(true);
    if args.limits.is_none() {
        let before = request.budget.caps(Scope::Run).money;
        PublishedLimits::Original.lay_under(&mut request.budget);
        if !is_priced {
            // What cannot be held is not promised.
            request.budget.at(Scope::Run).money = before;
        }
    }
    if sees {
        return Ok(());
    }
    let file = TaskFile::open(&args.choice.file)
        .map_err(|error| Failure::new(Status::StudyInvalid, error.to_string()))?;
    let questions = (file.get(&capsule.id)).and_then(|task| task.gold.questions());
    let figures = questions
        .unwrap_or_default()
        .into_iter()
        .filter(|question| is_about_figure(question));
    match figures.count() {
        0 => Ok(()),
        count => Err(Failure::usage(format!(
            "--agent {agent}: {count} of the questions of {} are about figures, and {} is not known to see: name a model \
             that looks at them with --vision-model, such as openai/gpt-5, or leave --agent out",
            capsule.id, request.model
        ))),
    }
}
