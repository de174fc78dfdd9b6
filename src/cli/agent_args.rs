//! The options of a run whose agent is a program of somebody else's.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use crate::app::agent_trees::installed::{AgentTrees, InstalledTree};
use crate::app::program_model::check_commands;
use crate::catalog::agents::definition::AgentDefinition;
use crate::catalog::agents::load::{self, LoadedAgent};
use crate::domain::claim_only;
use crate::domain::proxy_dialect::ProxyDialect;
use crate::domain::sampling::Sampling;
use crate::domain::stage::Stage;
use crate::domain::track::{StageRange, StageSelection, Track};
use crate::engine::request::{AgentRequest, Approve};
use crate::model::name::is_recording;
use crate::settings::Settings;

use super::exit::Failure;
use super::shell_words;

/// The agent of a run, where it is not our own loop.
#[derive(Debug, Args)]
pub struct AgentArgs {
    /// The agent in the place of our own loop (`plain`), of those that `reprise agents list` names: a
    /// program of somebody else's (`command` for any), or one that is part of this program: of capsules
    /// `core-agent`, of notebook tasks `react`, `react-super`, `reflexion` and `swe-agent`, of studies
    /// `claim-only`, which guesses the outcome from the claim, without paper, data or tools
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// The dialect that the program speaks, where the run is to be refused if the model is not asked in
    /// it: `chat-completions`, `responses`, `messages` or `generate-content`
    #[arg(long, value_name = "NAME", requires = "agent", help_heading = "Agent")]
    dialect: Option<ProxyDialect>,
    /// Refused, with the way out.
    #[arg(long, requires = "agent", hide = true)]
    translate: bool,
    /// A folder with the program's files, which it sees at /agent and cannot write
    /// [default: those that `reprise agents add` has fetched]
    #[arg(long, value_name = "DIR", requires = "agent", help_heading = "Agent")]
    agent_files: Option<PathBuf>,
    /// A folder whose definitions of agents stand before the built-in ones
    #[arg(long, value_name = "DIR", requires = "agent", help_heading = "Agent")]
    agents_dir: Option<PathBuf>,
    /// The program and its arguments in one text, for the agent `command` where nothing can be typed
    /// behind --
    #[arg(long, value_name = "WORDS", requires = "agent", help_heading = "Agent")]
    agent_program: Option<String>,
    /// Something that the agent is told by name, where its definition passes that on; may be given again
    #[arg(
        short = 'A',
        long = "agent-argument",
        value_name = "NAME=VALUE",
        requires = "agent",
        help_heading = "Agent"
    )]
    arguments: Vec<String>,
    /// How the model draws for an agent that is part of this program, where nothing else is typed
    #[arg(
        long,
        value_enum,
        value_name = "WHOSE",
        default_value_t = AgentSampling::Agent,
        help_heading = "Agent"
    )]
    pub agent_sampling: AgentSampling,
    /// What was typed behind --.
    #[arg(skip)]
    typed: Vec<String>,
}

/// The settings by which a model draws for an agent of this program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum AgentSampling {
    /// Those of its file.
    Agent,
    /// The provider's own.
    Provider,
}

/// A program that is typed behind `--`.
#[derive(Debug, Args)]
pub struct TypedProgramArgs {
    /// The program and its arguments, for the agent `command`
    #[arg(
        last = true,
        requires = "agent",
        value_name = "PROGRAM",
        help_heading = "Agent"
    )]
    program: Vec<String>,
}

/// The stages that a program carries, and what it sees there.
#[derive(Debug, Args)]
pub struct AgentStageArgs {
    /// The stages that the program carries; our own loop carries the others [default: design..execute of
    /// a study, else all]
    #[arg(long, value_name = "FROM..TO", requires = "agent", help_heading = "Agent")]
    agent_stages: Option<StageSelection>,
    /// Show the program the data before the plan is carried out: the run is headlined `planned with the
    /// data in reach`, and never counts as preregistered
    #[arg(long, requires = "agent", help_heading = "Agent")]
    agent_data: bool,
}

/// The model that an agent asks, as it was typed, how that is to answer, and who approves.
#[derive(Debug, Clone, Copy)]
pub struct AgentCompany<'a> {
    pub model: Option<&'a str>,
    pub sampling: Sampling,
    pub approve: &'a Approve,
}

impl AgentArgs {
    /// The name of the agent that is asked for.
    pub fn name(&self) -> Option<&str> {
        self.agent.as_deref()
    }

    /// True where the claim alone is put to the model.
    pub fn is_claim_only(&self) -> bool {
        self.agent.as_deref() == Some(claim_only::TRACK)
    }

    /// The folder whose definitions of programs stand before the built-in ones.
    pub fn agents_dir(&self) -> Option<&Path> {
        self.agents_dir.as_deref()
    }

    /// Refuses options of programs beside an agent that is part of this program.
    ///
    /// # Errors
    /// The first option that it has no use for.
    pub fn ensure_no_program(&self) -> Result<(), Failure> {
        let name = self.agent.as_deref().unwrap_or_default();
        let given = [
            ("--dialect", self.dialect.is_some()),
            ("--translate", self.translate),
            ("--agent-files", self.agent_files.is_some()),
            ("--agents-dir", self.agents_dir.is_some()),
            ("--agent-program", self.agent_program.is_some()),
            ("--agent-argument", !self.arguments.is_empty()),
            ("a program behind --", !self.typed.is_empty()),
        ];
        match given.iter().find(|(_, is_given)| *is_given) {
            Some((option, _)) => Err(Failure::usage(format!(
                "--agent {name} is part of this program and has no use for {option}: leave it out"
            ))),
            None => Ok(()),
        }
    }

    /// Takes what was typed behind `--`.
    pub fn take_typed(&mut self, typed: &mut TypedProgramArgs) {
        self.typed = std::mem::take(&mut typed.program);
    }

    /// The program that is asked for; `None` where no agent is named.
    ///
    /// # Errors
    /// An agent that is unknown or cannot be used as it is asked for.
    pub fn request(
        &self,
        settings: &Settings,
        company: AgentCompany<'_>,
    ) -> Result<Option<AgentRequest>, Failure> {
        let Some(name) = &self.agent else {
            return Ok(None);
        };
        let refuse = |why: String| Err(Failure::usage(format!("--agent {name}: {why}")));
        if self.translate {
            return refuse(
                "--translate: put a gateway that translates, such as LiteLLM on loopback, before the model, and leave the \
                 option out"
                    .to_owned(),
            );
        }
        let agents_dir = self.agents_dir.as_deref().map(absolute).transpose()?;
        let loaded = load::load(name, agents_dir.as_deref());
        let LoadedAgent { definition, .. } = loaded.map_err(|error| Failure::usage(error.to_string()))?;
        let program = self.program()?;
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
        let Some(model) = company.model.filter(|model| !is_recording(model)) else {
            return refuse("a recording answers no program: name a model that is asked with --model, such as openai/gpt-5".to_owned());
        };
        if company.sampling != Sampling::default() {
            return refuse(format!(
                "the program says itself how {model} is to answer: leave out --effort, --temperature, --top-p and --seed"
            ));
        }
        check_commands(company.approve, &definition).map_err(|error| Failure::usage(error.to_string()))?;
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
        Ok(Some(AgentRequest {
            name: name.clone(),
            program,
            dialect,
            files: files.or_else(|| added.map(|tree| tree.folder)),
            release,
            agents_dir,
            stages: None,
            data_before_plan: false,
            arguments: self.arguments(&definition)?,
        }))
    }

    /// The program that was typed, or named in one text.
    fn program(&self) -> Result<Vec<String>, Failure> {
        let Some(words) = &self.agent_program else {
            return Ok(self.typed.clone());
        };
        if !self.typed.is_empty() {
            return Err(Failure::usage(
                "--agent-program and a program behind --: give one of the two",
            ));
        }
        shell_words::split(words)
            .map_err(|error| Failure::usage(format!("--agent-program `{words}`: {error}")))
    }

    fn arguments(&self, definition: &AgentDefinition) -> Result<BTreeMap<String, String>, Failure> {
        let mut arguments = BTreeMap::new();
        for given in &self.arguments {
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
}

impl AgentStageArgs {
    /// An agent with the stages that it carries of those that a run goes through.
    ///
    /// # Errors
    /// Stages that the track has not, or none that the run goes through.
    pub fn over(
        &self,
        agent: AgentRequest,
        track: &Track,
        stages: StageRange,
    ) -> Result<AgentRequest, Failure> {
        let carried = match self.agent_stages {
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
            data_before_plan: self.agent_data,
            ..agent
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
