//! The arguments of `reprise capsule run`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::attempt_request::CapsuleChoice;
use crate::cli::budget::BudgetArgs;
use crate::cli::sampling::SamplingArgs;
use crate::cli::signing::SignArgs;
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

#[derive(Debug, Args)]
#[command(after_help = "\
The agent acts in one lasting shell, which is approved once. Its answers are the run's report.json, graded by our own \
grader and counted by the published ones; `reprise show`, `resume`, `replay` and `report` take the run as any other.

At the level medium, and on a local sandbox (which has no network) at every level, the packages that the capsule's \
environment/Dockerfile installs are there beforehand, in their versions where these can be had. The Dockerfile itself \
is not run: what of it is not followed is told.

Examples:
  reprise capsule run capsules/sunspots/task.json --approve auto
  reprise capsule run core_train.json --task capsule-0851068 --capsules capsules/ --level medium --model openai/gpt-5
  reprise capsule run core_train.json --task capsule-0851068 --capsules capsules/ --layout v1.1 --limits v1.1-cli \
--model anthropic/claude-sonnet-4-5 --approve auto")]
pub struct RunArgs {
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
    /// Who approves the session: `ask`, `auto`, `deny` or `policy:FILE`.
    #[arg(long, default_value = "ask")]
    pub approve: String,
    /// Where the engine is killed and its session is gone when the attempt is resumed
    #[arg(long, value_enum, default_value_t = LostSession::Rerun)]
    pub lost_session: LostSession,
    /// Limits as they were published; those that are given besides stand above them
    #[arg(long, value_enum, value_name = "NAME", help_heading = "Limits")]
    pub limits: Option<PublishedLimits>,
    #[command(flatten)]
    pub budget: BudgetArgs,
    /// The model that looks at pictures for the run [default: the run's own, where the
    /// table of models says that it sees]
    #[arg(long, value_name = "MODEL")]
    pub vision_model: Option<String>,
    /// The run's folder; it must not exist [default: runs/TASK-LEVEL-capsule-TIME]
    #[arg(long)]
    pub out: Option<PathBuf>,
    /// Write the session into this file, or under this name into recordings/ beside the task
    /// file, for `--model recorded:...`.
    #[arg(long, value_name = "FILE|NAME")]
    pub record: Option<String>,
    #[command(flatten)]
    pub sign: SignArgs,
    /// Print nothing while it goes.
    #[arg(long, short)]
    pub quiet: bool,
    /// Print the result as JSON.
    #[arg(long)]
    pub json: bool,
}
