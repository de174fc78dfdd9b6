//! The agent of an attempt at a notebook task.

use std::path::Path;

use crate::app::program::Program;
use crate::cli::chosen_agent::{self, ChosenAgent};
use crate::cli::exit::Failure;
use crate::engine::choice::notebook::NotebookChoice;
use crate::engine::request::Approve;
use crate::notebook::terms::{NotebookAgent, TRACK};

/// The agent that is asked for.
///
/// # Errors
/// A name that no agent has, or attempts of one that makes only one.
pub fn chosen(program: &Program, choice: &NotebookChoice, approve: &Approve) -> Result<ChosenAgent, Failure> {
    let chosen = chosen_agent::chosen(program, &choice.run, Some(TRACK), approve)?;
    let name = choice.run.agent.name.as_deref().unwrap_or_default();
    let Some(attempts) = choice.attempts.filter(|attempts| *attempts > 1) else {
        return Ok(chosen);
    };
    match &chosen.own {
        Some(own) if own.attempts > 1 => Ok(chosen),
        Some(_) => Err(Failure::usage(format!(
            "--attempts {attempts}: {name} writes no plan behind an attempt and makes one; reflexion makes several"
        ))),
        None => Err(Failure::usage(format!(
            "--attempts {attempts}: {name} makes one attempt; reflexion makes several"
        ))),
    }
}

/// The agent of this program with a name, with as many attempts as its file has.
///
/// # Errors
/// A name that no agent has, or one that cannot be used.
pub fn named(program: &Program, name: &str, stages: Option<&Path>) -> Result<NotebookAgent, Failure> {
    let catalog = program.tracks.catalog_by(Some(TRACK), stages, Some(name))?;
    let dialogues = catalog
        .track()
        .stages()
        .filter_map(|stage| catalog.stage(stage)?.dialogue.as_ref());
    Ok(NotebookAgent {
        name: name.to_owned(),
        attempts: dialogues.map(|dialogue| dialogue.attempts).max().unwrap_or(1),
    })
}

/// The name of the recording of a task, attempted by an agent of this program.
pub fn recording_name(task: &str, agent: Option<&str>) -> String {
    match agent {
        Some(agent) => format!("{task}.{agent}"),
        None => task.to_owned(),
    }
}
