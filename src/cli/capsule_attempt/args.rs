//! The options of an attempt at a capsule.

use clap::{Args, ValueEnum};

use super::choice::CapsuleChoice;
use crate::cli::agent_args::AgentArgs;
use crate::cli::budget::BudgetArgs;
use crate::cli::sampling::SamplingArgs;
use crate::domain::usage::MicroDollars;
use crate::engine::request::LostSession;
use crate::policy::limits::Budget;
use crate::policy::scope::Scope;

/// The limits of an attempt, as they were published.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PublishedLimits {
    /// $4 and two hours.
    Original,
    /// 45 minutes.
    #[value(name = "v1.1-cli")]
    V11Cli,
    /// Five hours and 200 model calls.
    #[value(name = "v1.1-core-agent")]
    V11CoreAgent,
}

impl PublishedLimits {
    /// Sets each limit that nobody has set otherwise.
    pub fn lay_under(self, budget: &mut Budget) {
        let caps = budget.at(Scope::Run);
        let (seconds, turns, dollars) = match self {
            Self::Original => (7200, None, Some(4)),
            Self::V11Cli => (2700, None, None),
            Self::V11CoreAgent => (18_000, Some(200), None),
        };
        caps.seconds = caps.seconds.or(Some(seconds));
        caps.turns = caps.turns.or(turns);
        caps.money = caps
            .money
            .or(dollars.map(|dollars| MicroDollars(dollars * 1_000_000)));
    }
}

/// An attempt: the capsule, who attempts it, and its bounds.
#[derive(Debug, Args)]
pub struct AttemptArgs {
    #[command(flatten)]
    pub choice: CapsuleChoice,
    /// The task, where the file has several
    #[arg(long, value_name = "ID")]
    pub task: Option<String>,
    /// `provider/model`, or `recorded:NAME` (a session in recordings/ beside the task file)
    /// [default: the recording of the task at its level, where there is one]
    #[arg(long)]
    pub model: Option<String>,
    #[command(flatten)]
    pub sampling: SamplingArgs,
    /// Who approves the session: `ask`, `ask:commands` (and each command), `auto`, `deny` or `policy:FILE`.
    #[arg(long, default_value = "ask")]
    pub approve: String,
    /// Where the engine is killed and its session is gone when the attempt is resumed
    #[arg(long, value_enum, default_value_t = LostSession::Rerun, help_heading = "Execution")]
    pub lost_session: LostSession,
    /// Limits as they were published; those that are given besides stand above them
    #[arg(long, value_enum, value_name = "NAME", help_heading = "Limits")]
    pub limits: Option<PublishedLimits>,
    #[command(flatten)]
    pub budget: BudgetArgs,
    /// The model that looks at pictures for the run [default: the run's own, where the
    /// table of models says that it sees]
    #[arg(long, value_name = "MODEL", help_heading = "Model")]
    pub vision_model: Option<String>,
    #[command(flatten)]
    pub agent: AgentArgs,
}
