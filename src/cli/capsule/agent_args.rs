//! The options of an attempt's agent: one of our own, or a program of somebody else's.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::app::agent_trees::installed::{AgentTrees, InstalledTree};
use crate::capsule::agent::CapsuleAgent;
use crate::catalog::agents::definition::AgentDefinition;
use crate::catalog::agents::load::{self, LoadedAgent};
use crate::cli::capsule_attempt::args::AttemptArgs;
use crate::cli::exit::Failure;
use crate::domain::proxy_dialect::ProxyDialect;
use crate::domain::sampling::Sampling;
use crate::engine::request::AgentRequest;
use crate::model::name::is_recording;
use crate::settings::Settings;

#[derive(Debug, Args)]
#[command(next_help_heading = "Agent")]
pub struct AgentArgs {
    /// Who attempts it: `plain` (our own loop) or `core-agent` (the same with hints by level, figures put to
    /// a model that sees, a report that is checked, and $4 and two hours); or a program of somebody else's:
    /// `command` for any, or another of `reprise agents list` [default: plain]
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// The dialect that the program speaks, where the run is to be refused if the model is not asked in
    /// it: `chat-completions`, `responses`, `messages` or `generate-content`
    #[arg(long, value_name = "NAME", requires = "agent")]
    dialect: Option<ProxyDialect>,
    /// A folder with the program's files, which it sees at /agent and cannot write
    /// [default: those that `reprise agents add` has fetched]
    #[arg(long, value_name = "DIR", requires = "agent")]
    agent_files: Option<PathBuf>,
    /// A folder whose definitions of agents stand before the built-in ones
    #[arg(long, value_name = "DIR", requires = "agent")]
    agents_dir: Option<PathBuf>,
    /// The program and its arguments, for the agent `command`
    #[arg(last = true, requires = "agent", value_name = "PROGRAM")]
    program: Vec<String>,
}

/// The agent of an attempt.
#[derive(Debug)]
pub enum ChosenAgent {
    Own(CapsuleAgent),
    Program(AgentRequest),
}

impl AgentArgs {
    /// The agent that is asked for.
    ///
    /// # Errors
    /// An agent that is unknown or cannot be used as it is asked for.
    pub fn chosen(&self, settings: &Settings, attempt: &AttemptArgs) -> Result<ChosenAgent, Failure> {
        let Some(name) = &self.agent else {
            return Ok(ChosenAgent::Own(CapsuleAgent::default()));
        };
        match name.parse::<CapsuleAgent>() {
            Ok(own) => self.own(own).map(ChosenAgent::Own),
            Err(_) => self.program(name, settings, attempt).map(ChosenAgent::Program),
        }
    }

    /// An agent of our own, which is asked for by its name alone.
    fn own(&self, agent: CapsuleAgent) -> Result<CapsuleAgent, Failure> {
        let is_programs = [
            ("--dialect", self.dialect.is_some()),
            ("--agent-files", self.agent_files.is_some()),
            ("--agents-dir", self.agents_dir.is_some()),
            ("what is typed behind --", !self.program.is_empty()),
        ];
        match is_programs.into_iter().find(|(_, given)| *given) {
            None => Ok(agent),
            Some((option, _)) => Err(Failure::usage(format!(
                "--agent {agent} is our own loop, and no program: leave out {option}"
            ))),
        }
    }

    fn program(
        &self,
        name: &str,
        settings: &Settings,
        attempt: &AttemptArgs,
    ) -> Result<AgentRequest, Failure> {
        let refuse = |why: String| Err(Failure::usage(format!("--agent {name}: {why}")));
        let agents_dir = self.agents_dir.as_deref().map(absolute).transpose()?;
        let loaded = load::load(name, agents_dir.as_deref());
        let LoadedAgent { definition, .. } = loaded.map_err(|error| Failure::usage(error.to_string()))?;
        match (definition.takes_program(), self.program.is_empty()) {
            (true, true) => {
                return refuse(
                    "type the program and its arguments behind --, as in `-- python3 /agent/mine.py`"
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
        let Some(model) = attempt.model.as_deref().filter(|model| !is_recording(model)) else {
            return refuse("a recording answers no program: name a model that is asked with --model, such as openai/gpt-5".to_owned());
        };
        if attempt.sampling.sampling() != Sampling::default() {
            return refuse(format!(
                "the program says itself how {model} is to answer: leave out --effort and --temperature"
            ));
        }
        let dialect = match (self.dialect, definition.dialect) {
            (Some(asked), Some(own)) if asked != own => {
                return refuse(format!("it speaks {own}, and not {asked}"));
            }
            (asked, own) => asked.or(own),
        };
        let files = self.agent_files.as_deref().map(absolute).transpose()?;
        if let Some(folder) = files.as_ref().filter(|folder| !folder.is_dir()) {
            return refuse(format!("--agent-files {} is no folder", folder.display()));
        }
        let added = match &files {
            Some(_) => None,
            None => added(settings, &definition)?,
        };
        let release = added.as_ref().map(InstalledTree::release);
        Ok(AgentRequest {
            name: name.to_owned(),
            program: self.program.clone(),
            dialect,
            files: files.or_else(|| added.map(|tree| tree.folder)),
            release,
            agents_dir,
        })
    }
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
