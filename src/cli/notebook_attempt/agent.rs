//! The published agent of an attempt.

use std::path::Path;

use crate::app::program::Program;
use crate::cli::agent_args::AgentCompany;
use crate::cli::exit::Failure;
use crate::engine::request::AgentRequest;
use crate::notebook::task::NotebookTask;
use crate::notebook::terms::{NotebookAgent, TRACK};

use super::args::NotebookAttemptArgs;

/// The agent of an attempt: one of this program's, a program of others, or neither, which is our own loop.
#[derive(Debug, Default)]
pub struct ChosenAgent {
    pub published: Option<NotebookAgent>,
    pub program: Option<AgentRequest>,
}

/// The agent that is asked for.
///
/// # Errors
/// A name that no agent has, attempts of one that makes only one, or a program that cannot attempt the
/// task.
pub fn chosen(
    program: &Program,
    args: &NotebookAttemptArgs,
    task: &NotebookTask,
) -> Result<ChosenAgent, Failure> {
    let Some(name) = args.agent.name() else {
        return Ok(ChosenAgent::default());
    };
    let published_names = program.tracks.agents(TRACK, args.stages_dir.as_deref())?;
    if !published_names.iter().any(|agent| agent.name == name) {
        return of_others(program, args, task);
    }
    args.agent.ensure_no_program()?;
    let agent = published(program, name, args.stages_dir.as_deref())?;
    let attempts = match args.attempts {
        Some(attempts) if agent.attempts == 1 && attempts > 1 => {
            return Err(Failure::usage(format!(
                "--attempts {attempts}: {name} writes no plan behind an attempt and makes one; reflexion makes several"
            )));
        }
        Some(attempts) => attempts,
        None => agent.attempts,
    };
    Ok(ChosenAgent {
        published: Some(NotebookAgent { attempts, ..agent }),
        program: None,
    })
}

/// A program of others as the agent.
fn of_others(
    program: &Program,
    args: &NotebookAttemptArgs,
    task: &NotebookTask,
) -> Result<ChosenAgent, Failure> {
    let company = AgentCompany {
        model: args.model.as_deref(),
        sampling: args.sampling.sampling(),
    };
    let request = args
        .agent
        .request(&program.settings, company)
        .map_err(|mut failure| {
            let published = program.tracks.agents(TRACK, args.stages_dir.as_deref());
            let names: Vec<String> = published.into_iter().flatten().map(|agent| agent.name).collect();
            failure
                .message
                .push_str(&format!(" (Part of this program are {}.)", names.join(", ")));
            failure
        })?;
    let name = args.agent.name().unwrap_or_default();
    if args.attempts.is_some_and(|attempts| attempts > 1) {
        return Err(Failure::usage(format!(
            "--attempts: {name} is a program of others, which makes one attempt"
        )));
    }
    if !task.pre_cells.is_empty() {
        return Err(Failure::usage(format!(
            "--agent {name}: {} has cells that are executed beforehand in a kernel, and a program of others is given a shell \
             of its own; take a task without such cells, or an agent that is part of this program",
            task.id
        )));
    }
    Ok(ChosenAgent {
        published: None,
        program: request,
    })
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
