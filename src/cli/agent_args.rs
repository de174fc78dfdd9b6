//! The options of a run whose agent is a program of somebody else's.

use std::path::PathBuf;

use clap::Args;

use crate::domain::proxy_dialect::ProxyDialect;
use crate::domain::track::StageSelection;
use crate::engine::choice::agent::{AgentChoice, AgentSampling};

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
    agent_sampling: AgentSampling,
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
    pub agent_stages: Option<StageSelection>,
    /// Show the program the data before the plan is carried out: the run is headlined `planned with the
    /// data in reach`, and never counts as preregistered
    #[arg(long, requires = "agent", help_heading = "Agent")]
    pub agent_data: bool,
}

impl AgentArgs {
    /// The agent as it was typed, with a program behind `--`.
    pub fn choice(self, typed: TypedProgramArgs) -> AgentChoice {
        AgentChoice {
            name: self.agent,
            dialect: self.dialect,
            translate: self.translate,
            files: self.agent_files,
            agents_dir: self.agents_dir,
            program: self.agent_program,
            typed: typed.program,
            arguments: self.arguments,
            sampling: self.agent_sampling,
        }
    }
}
