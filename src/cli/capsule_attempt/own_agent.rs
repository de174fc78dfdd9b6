//! The terms of an agent of this program.

use crate::app::program::Program;
use crate::capsule::task_file::CapsuleTask;
use crate::catalog::stages::agent_file::StageAgent;
use crate::cli::chosen_agent::{lay_limits, lay_sampling};
use crate::cli::exit::Failure;
use crate::cli::prepared_attempt::PreparedAttempt;
use crate::engine::choice::capsule::CapsuleChoice;
use crate::model::access::Access;
use crate::model::name::{HUMAN, is_recording};
use crate::scoring::released::capsule::tallies::is_about_figure;

/// Has an agent of this program attempt a capsule, by its limits where none are set, and with somebody who
/// looks at figures where it wants that and the task asks about any.
///
/// # Errors
/// A table of models that cannot be read, or figures that nobody would see.
pub fn lay_terms(
    program: &Program,
    choice: &CapsuleChoice,
    task: &CapsuleTask,
    agent: &StageAgent,
    prepared: &mut PreparedAttempt,
) -> Result<(), Failure> {
    let request = &mut prepared.request;
    let Some(capsule) = &mut request.capsule else {
        return Ok(());
    };
    capsule.agent = Some(agent.name.clone());
    if choice.published.is_none() {
        lay_limits(program, agent, request)?;
    }
    lay_sampling(program, &choice.run.agent, agent, request)?;
    // A recording has looked or not.
    if !agent.looks_at_figures || is_recording(&request.model) || request.model == HUMAN {
        return Ok(());
    }
    let access = Access::open(&program.settings).map_err(|error| Failure::usage(error.to_string()))?;
    let sees = request.vision_model.is_some() || access.capabilities(&request.model).vision == Some(true);
    if sees {
        return Ok(());
    }
    let questions = task.gold.questions();
    let figures = questions
        .unwrap_or_default()
        .into_iter()
        .filter(|question| is_about_figure(question));
    match figures.count() {
        0 => Ok(()),
        count => Err(Failure::usage(format!(
            "--agent {}: {count} of the questions of {} are about figures, and {} is not known to see: name a model \
             that looks at them with --vision-model, such as openai/gpt-5, or leave --agent out",
            agent.name, task.id, request.model
        ))),
    }
}
