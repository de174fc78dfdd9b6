//! The published agent of an attempt.

use std::path::Path;

use crate::app::program::Program;
use crate::cli::exit::Failure;
use crate::notebook::terms::{NotebookAgent, TRACK};

use super::args::NotebookAttemptArgs;

/// The agent that is asked for; `None` where our own loop attempts the task.
///
/// # Errors
/// A name that no agent has, or attempts of one that makes only one.
pub fn chosen(program: &Program, args: &NotebookAttemptArgs) -> Result<Option<NotebookAgent>, Failure> {
    let Some(name) = &args.agent else {
        return Ok(None);
    };
    let agent = published(program, name, args.stages_dir.as_deref())?;
    match args.attempts {
        Some(attempts) if agent.attempts == 1 && attempts > 1 => Err(Failure::usage(format!(
            "--attempts {attempts}: {name} writes no plan behind an attempt and makes one; reflexion makes several"
        ))),
        Some(attempts) => Ok(Some(NotebookAgent { attempts, ..agent })),
        None => Ok(Some(agent)),
    }
}

/// The published agent of a name, with as many attempts as its definition has.
///
/// # Errors
/// A name that no agent has.
pub fn published(program: &Program, name: &str, stages: Option<&Path>) -> Result<NotebookAgent, Failure> {
    let catalog = program.tracks.catalog_by(Some(TRACK), stages, Some(name));
    let catalog = catalog.map_err(|error| Failure::usage(format!("--agent {name}: {error}")))?;
    let dialogues = catalog
        .track()
        .stages()
        .filter_map(|stage| catalog.stage(stage)?.dialogue.as_ref());
    Ok(NotebookAgent {
        name: name.to_owned(),
        attempts: dialogues.map(|dialogue| dialogue.attempts).max().unwrap_or(1),
    })
}

/// The name of the recording of a task, attempted by an agent.
pub fn recording_name(task: &str, agent: Option<&str>) -> String {
    match agent {
        Some(agent) => format!("{task}.{agent}"),
        None => task.to_owned(),
    }
}
