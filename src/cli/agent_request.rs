//! A third-party agent, as a run asks for it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::app::agent_trees::installed::{AgentTrees, InstalledTree};
use crate::app::program_model::check_commands;
use crate::capsule::archive::tree_digest::digest_of_folder;
use crate::catalog::agents::definition::AgentDefinition;
use crate::catalog::agents::load::{self, LoadedAgent};
use crate::domain::stage::Stage;
use crate::domain::track::{StageRange, Track};
use crate::engine::choice::agent::AgentChoice;
use crate::engine::choice::run::RunChoice;
use crate::engine::choice::study::StudyChoice;
use crate::engine::request::{AgentRequest, Approve};
use crate::model::name::is_recording;
use crate::settings::Settings;

use super::exit::Failure;
use super::shell_words;

/// Refuses options of programs beside an agent that is part of this program.
///
/// # Errors
/// The first option that it has no use for.
pub fn ensure_no_program(choice: &AgentChoice) -> Result<(), Failure> {
    let name = choice.name.as_deref().unwrap_or_default();
    let given = [
        ("--dialect", choice.dialect.is_some()),
        ("--translate", choice.translate),
        ("--agent-files", choice.files.is_some()),
        ("--agents-dir", choice.agents_dir.is_some()),
        ("--agent-program", choice.program.is_some()),
        ("--agent-argument", !choice.arguments.is_empty()),
        ("a program behind --", !choice.typed.is_empty()),
    ];
    match given.iter().find(|(_, is_given)| *is_given) {
        Some((option, _)) => Err(Failure::usage(format!(
            "--agent {name} is part of this program and has no use for {option}: leave it out"
        ))),
        None => Ok(()),
    }
}

/// The program that is asked for; `None` where no agent is named.
///
/// # Errors
/// An agent that is unknown or cannot be used as it is asked for.
pub fn request(
    settings: &Settings,
    run: &RunChoice,
    approve: &Approve,
) -> Result<Option<AgentRequest>, Failure> {
    let choice = &run.agent;
    let Some(name) = &choice.name else {
        return Ok(None);
    };
    let refuse = |why: String| Err(Failure::usage(format!("--agent {name}: {why}")));
    if choice.translate {
        return refuse(
            "--translate: put a gateway that translates, such as LiteLLM on loopback, before the model, and leave the \
             option out"
                .to_owned(),
        );
    }
    let agents_dir = choice.agents_dir.as_deref().map(absolute).transpose()?;
    let loaded = load::load(name, agents_dir.as_deref());
    let LoadedAgent { definition, .. } = loaded.map_err(|error| Failure::usage(error.to_string()))?;
    let program = program_of(choice)?;
    match (definition.takes_program(), program.is_empty()) {
        (true, true) => {
            return refuse(
                "type the program and its arguments behind --, as in `-- python3 /agent/mine.py`, or name them with \
                 --agent-program"
                    .to_owned(),
            );
        }
        (false, false) => {
            return refuse(
                "its command stands in its definition: leave out what is typed behind --".to_owned(),
            );
        }
        _ => {}
    }
    let Some(model) = run.model.as_deref().filter(|model| !is_recording(model)) else {
        return refuse(
            "a recording answers no program: name a model that is asked with --model, such as openai/gpt-5"
                .to_owned(),
        );
    };
    if !run.sampling.is_default() {
        return refuse(format!(
            "the program says itself how {model} is to answer: leave out --effort, --temperature, --top-p and --seed"
        ));
    }
    check_commands(approve, &definition).map_err(|error| Failure::usage(error.to_string()))?;
    let dialect = match (choice.dialect, definition.dialect) {
        (Some(asked), Some(own)) if asked != own => {
            return refuse(format!("it speaks {own}, and not {asked}"));
        }
        (asked, own) => asked.or(own),
    };
    let files = choice.files.as_deref().map(absolute).transpose()?;
    if let Some(folder) = files.as_ref().filter(|folder| !folder.is_dir()) {
        return refuse(format!("--agent-files {} is no folder", folder.display()));
    }
    let added = match &files {
        Some(_) => None,
        None => added(settings, &definition)?,
    };
    let files_digest = files.as_deref().map(digest_of_folder).transpose();
    let files_digest = files_digest.map_err(|fault| Failure::usage(format!("--agent-files: {fault}")))?;
    let release = added.as_ref().map(InstalledTree::release);
    Ok(Some(AgentRequest {
        name: name.clone(),
        program,
        dialect,
        files: files.or_else(|| added.map(|tree| tree.folder)),
        files_digest,
        release,
        agents_dir,
        stages: None,
        data_before_plan: false,
        arguments: arguments_of(choice, &definition)?,
    }))
}

/// The program that was typed, or named in one text.
fn program_of(choice: &AgentChoice) -> Result<Vec<String>, Failure> {
    let Some(words) = &choice.program else {
        return Ok(choice.typed.clone());
    };
    if !choice.typed.is_empty() {
        return Err(Failure::usage(
            "--agent-program and a program behind --: give one of the two",
        ));
    }
    shell_words::split(words).map_err(|error| Failure::usage(format!("--agent-program `{words}`: {error}")))
}

fn arguments_of(
    choice: &AgentChoice,
    definition: &AgentDefinition,
) -> Result<BTreeMap<String, String>, Failure> {
    let mut arguments = BTreeMap::new();
    for given in &choice.arguments {
        let refuse = |why: &str| Failure::usage(format!("-A {given}: {why}"));
        let Some((name, value)) = given.split_once('=').filter(|(name, _)| !name.is_empty()) else {
            return Err(refuse("expected NAME=VALUE, such as -A max_steps=20"));
        };
        if arguments.insert(name.to_owned(), value.to_owned()).is_some() {
            return Err(refuse("the name is given twice"));
        }
    }
    if !arguments.is_empty() && !definition.takes_arguments() {
        return Err(Failure::usage(format!(
            "-A: the definition of `{}` passes no arguments on ({{arguments}} stands nowhere in it): leave them out",
            definition.agent
        )));
    }
    Ok(arguments)
}

/// An agent with the stages that it carries of those that a run goes through.
///
/// # Errors
/// Stages that the track has not, or none that the run goes through.
pub fn over_stages(
    choice: &StudyChoice,
    agent: AgentRequest,
    track: &Track,
    stages: StageRange,
) -> Result<AgentRequest, Failure> {
    let carried = match choice.agent_stages {
        Some(asked) => {
            let asked = asked.within(track);
            Some(asked.map_err(|problem| Failure::usage(format!("--agent-stages: {problem}")))?)
        }
        None if track.is_replication() => Some(StageRange {
            from: Stage::DESIGN,
            to: Stage::EXECUTE,
        }),
        None => None,
    };
    let is_carried = |stage: Stage| carried.is_none_or(|carried| track.covers(carried, stage));
    if !track.range(stages).iter().any(|place| is_carried(place.stage)) {
        return Err(Failure::usage(format!(
            "--agent {}: the run goes through {stages}, and the agent carries none of these: name them with \
             --agent-stages",
            agent.name
        )));
    }
    Ok(AgentRequest {
        stages: carried,
        data_before_plan: choice.agent_data,
        ..agent
    })
}

/// The files of an agent that was added; `None` of one that names no packages.
fn added(settings: &Settings, definition: &AgentDefinition) -> Result<Option<InstalledTree>, Failure> {
    let names_packages = (definition.release.as_ref()).is_some_and(|release| !release.packages.is_empty());
    if !names_packages {
        return Ok(None);
    }
    let found = AgentTrees::new(settings).find(definition);
    found.map(Some).ok_or_else(|| {
        Failure::usage(format!(
            "--agent {0}: its files are not here: `reprise agents add {0}` fetches them, or --agent-files DIR names a folder \
             that has them",
            definition.agent
        ))
    })
}

/// A path that means the same from elsewhere.
fn absolute(path: &Path) -> Result<PathBuf, Failure> {
    fs::canonicalize(path).map_err(|error| Failure::usage(format!("{}: {error}", path.display())))
}
