//! The options of an attempt at a notebook task.

use std::path::PathBuf;

use clap::Args;

use crate::catalog::stages::agent_file::MOST_ATTEMPTS;
use crate::cli::agent_args::{AgentArgs, TypedProgramArgs};
use crate::cli::budget::BudgetArgs;
use crate::cli::host_name::host_name;
use crate::cli::lock_args::LockArgs;
use crate::cli::sampling::SamplingArgs;
use crate::cli::session_args::SessionLimits;
use crate::engine::choice::notebook::{NotebookBudgets, NotebookChoice};
use crate::engine::choice::run::RunChoice;
use crate::engine::choice::session::NetworkChoice;
use crate::engine::request::LostSession;
use crate::notebook::terms::{Cleaning, RepositoryState};

/// The budgets of the published runner, each of which may be set otherwise.
#[derive(Debug, Clone, Copy, Default, Args)]
pub struct NotebookBudgetArgs {
    /// Seconds of all cells together, tested before each call of the model [default: 1800]
    #[arg(long, value_name = "SECONDS", help_heading = "Budgets of SUPER")]
    environment_seconds: Option<u64>,
    /// Prompt tokens of all calls together [default: 400000 of a Masked task, 600000 of another]
    #[arg(long, value_name = "COUNT", help_heading = "Budgets of SUPER")]
    prompt_tokens: Option<u64>,
    /// Answers of the model [default: 100]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=1000), help_heading = "Budgets of SUPER")]
    iterations: Option<u32>,
    /// Seconds that a cell is waited for at a time; it runs on behind them [default: 300]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=86_400), help_heading = "Budgets of SUPER")]
    wait: Option<u64>,
}

impl NotebookBudgetArgs {
    /// The budgets that were typed.
    fn choice(self) -> NotebookBudgets {
        NotebookBudgets {
            environment_seconds: self.environment_seconds,
            prompt_tokens: self.prompt_tokens,
            iterations: self.iterations,
            wait: self.wait,
        }
    }
}

/// An attempt: the task, who attempts it, and its bounds.
#[derive(Debug, Args)]
pub struct NotebookAttemptArgs {
    /// The task file.
    pub file: PathBuf,
    /// The task, where the file has several
    #[arg(long, value_name = "ID")]
    pub task: Option<String>,
    /// A folder with mirrors of the tasks' repositories: clones, bare clones or plain files, as
    /// HOST/OWNER/NAME, OWNER/NAME or NAME [default: repositories/ beside the task file]
    #[arg(long, value_name = "DIR")]
    pub repos: Option<PathBuf>,
    /// The state of the repository: `head`, whatever the mirror stands at, as the published runner
    /// takes it, or `task`, the commit that the task names
    #[arg(long, value_name = "STATE", default_value = "head", help_heading = "Task")]
    pub at: RepositoryState,
    /// A package of Python that is installed beforehand, such as numpy==2.1.3; may be given again
    #[arg(long = "package", value_name = "NAME", help_heading = "Execution")]
    pub packages: Vec<String>,
    #[command(flatten)]
    pub lock: LockArgs,
    /// A package of Debian that is installed beforehand, in containers; may be given again
    #[arg(long, value_name = "NAME", help_heading = "Execution")]
    pub system: Vec<String>,
    /// What the model is told of cells: `published`, without progress of downloads, compilers' lines
    /// and colours, or `off`, all of it
    #[arg(long, value_name = "HOW", default_value = "published", help_heading = "Task")]
    pub cleaning: Cleaning,
    /// What the session reaches, where its sandbox can open hosts at all
    #[arg(long, value_enum, default_value_t = NetworkChoice::Indexes, help_heading = "Execution")]
    pub network: NetworkChoice,
    /// A further host that the session may reach over http and https; may be given again
    #[arg(long = "allow-host", value_name = "HOST", value_parser = host_name, help_heading = "Execution")]
    pub hosts: Vec<String>,
    #[command(flatten)]
    pub session: SessionLimits,
    /// Who attempts it in the place of our own loop: `react`, `react-super`, `reflexion` and `swe-agent` are
    /// part of this program.
    #[command(flatten)]
    pub agent: AgentArgs,
    /// Attempts at most of an agent that writes a plan behind one that submitted nothing; they share
    /// the budgets [default: 3 of reflexion]
    #[arg(long, value_name = "COUNT", requires = "agent",
        value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_ATTEMPTS)),
        help_heading = "Agent"
    )]
    pub attempts: Option<u32>,
    /// `provider/model`, or `recorded:NAME` (a session in recordings/ beside the task file)
    /// [default: the recording TASK, or TASK.AGENT, where there is one]
    #[arg(long)]
    pub model: Option<String>,
    #[command(flatten)]
    pub sampling: SamplingArgs,
    /// Who approves the session: `ask`, `auto`, `deny` or `policy:FILE`.
    #[arg(long, default_value = "ask")]
    pub approve: String,
    /// Where the engine is killed and its session is gone when the attempt is resumed
    #[arg(long, value_enum, default_value_t = LostSession::Rerun, help_heading = "Execution")]
    pub lost_session: LostSession,
    #[command(flatten)]
    pub published: NotebookBudgetArgs,
    #[command(flatten)]
    pub budget: BudgetArgs,
    /// A folder whose stage definitions take the place of the built-in ones.
    #[arg(long, help_heading = "Task")]
    pub stages_dir: Option<PathBuf>,
}

impl NotebookAttemptArgs {
    /// The choice as it was typed, with a program behind `--`.
    pub fn choice(self, typed: TypedProgramArgs) -> NotebookChoice {
        NotebookChoice {
            repos: self.repos,
            at: self.at,
            packages: self.packages,
            system: self.system,
            cleaning: self.cleaning,
            network: self.network,
            lost_session: self.lost_session,
            attempts: self.attempts,
            budgets: self.published.choice(),
            run: RunChoice {
                model: self.model,
                sampling: self.sampling.sampling(),
                patience: self.sampling.patience(),
                approve: self.approve,
                sandbox: self.session.sandbox,
                hosts: self.hosts,
                stages_dir: self.stages_dir,
                lock: self.lock.choice(),
                budget: self.budget.caps(),
                allow_unpriced: self.budget.allow_unpriced,
                agent: self.agent.choice(typed),
                ..RunChoice::new(self.session.limits())
            },
        }
    }
}
