//! The options of an attempt at a capsule.

use clap::Args;

use super::choice::CapsuleArgs;
use crate::cli::agent_args::{AgentArgs, TypedProgramArgs};
use crate::cli::budget::BudgetArgs;
use crate::cli::sampling::SamplingArgs;
use crate::engine::choice::capsule::{CapsuleChoice, PublishedLimits};
use crate::engine::choice::run::RunChoice;
use crate::engine::request::LostSession;

/// An attempt: the capsule, who attempts it, and its bounds.
#[derive(Debug, Args)]
pub struct AttemptArgs {
    #[command(flatten)]
    pub choice: CapsuleArgs,
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

impl AttemptArgs {
    /// The choice as it was typed, with a program behind `--`.
    pub fn choice(self, typed: TypedProgramArgs) -> CapsuleChoice {
        let choice = self.choice.choice();
        CapsuleChoice {
            lost_session: self.lost_session,
            published: self.limits,
            run: RunChoice {
                model: self.model,
                sampling: self.sampling.sampling(),
                patience: self.sampling.patience(),
                approve: self.approve,
                vision_model: self.vision_model,
                budget: self.budget.caps(),
                allow_unpriced: self.budget.allow_unpriced,
                agent: self.agent.choice(typed),
                ..choice.run
            },
            ..choice
        }
    }
}
