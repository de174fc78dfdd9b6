//! The options of a run of a study.

use std::path::PathBuf;

use clap::Args;

use crate::domain::claim_wording::ClaimWording;
use crate::domain::execution::Limits;
use crate::domain::mode::{CodeAccess, CodeMode};
use crate::domain::probe::ProbeSettings;
use crate::domain::track::StageSelection;
use crate::engine::choice::run::RunChoice;
use crate::engine::choice::study::StudyChoice;
use crate::engine::request::{MendChoice, SandboxChoice};

use super::agent_args::{AgentArgs, AgentStageArgs, TypedProgramArgs};
use super::budget::BudgetArgs;
use super::host_name::host_name;
use super::lock_args::LockArgs;
use super::sampling::SamplingArgs;

/// The options of a run, whatever its study.
#[derive(Debug, Args)]
pub struct ChoiceArgs {
    /// `provider/model`, `human` (you fill in forms), or `recorded:NAME` (a session under the
    /// study's recordings/)
    /// [default: the study's recording for the setting, where it has one]
    #[arg(long)]
    pub model: Option<String>,
    #[command(flatten)]
    pub sampling: SamplingArgs,
    /// Run the study's own scripts, or a Python translation.
    #[arg(long, value_enum, default_value_t = CodeMode::Python)]
    pub code_mode: CodeMode,
    /// Whether the agent sees the study's code.
    #[arg(long, value_enum, default_value_t = CodeAccess::Code, help_heading = "Task")]
    pub code_access: CodeAccess,
    /// The stages to go through, of `extract..interpret`; a name alone, `FROM..` and `..TO` will do.
    #[arg(long, default_value = "..", value_name = "FROM..TO")]
    pub stages: StageSelection,
    /// Who approves what runs: `ask`, `auto`, `deny` or `policy:FILE`.
    #[arg(long, default_value = "ask")]
    pub approve: String,
    /// Where code runs.
    #[arg(long, value_enum, default_value_t = SandboxChoice::Auto)]
    pub sandbox: SandboxChoice,
    /// A host that executed code may reach over http and https, after an approval
    /// of its own; may be given again. Without it code has no network.
    #[arg(long = "allow-host", value_name = "HOST", value_parser = host_name, help_heading = "Execution")]
    pub hosts: Vec<String>,
    /// The search engine of the search stage: `none`, `searxng:https://HOST`, `brave`,
    /// `tavily`, `openai/MODEL` or `anthropic/MODEL` (hosted search)
    /// [default: $REPRISE_SEARCH, else none]
    #[arg(long, value_name = "ENGINE", help_heading = "Model")]
    pub search: Option<String>,
    /// The model that looks at pictures for the run [default: the run's own, where the
    /// table of models says that it sees]
    #[arg(long, value_name = "MODEL", help_heading = "Model")]
    pub vision_model: Option<String>,
    /// A folder whose stage definitions take the place of the built-in ones.
    #[arg(long, help_heading = "Task")]
    pub stages_dir: Option<PathBuf>,
    #[command(flatten)]
    pub lock: LockArgs,
    /// How the claim is put to the agent: as the study has it, as open, or as expected to be confirmed
    #[arg(long, value_enum, default_value_t = ClaimWording::AsGiven, help_heading = "Task")]
    pub wording: ClaimWording,
    /// Mends of scripts that are older than their interpreter, of those that change no result
    #[arg(long, value_enum, default_value_t = MendChoice::Propose, help_heading = "Execution")]
    pub mend: MendChoice,
    #[command(flatten)]
    pub limits: LimitArgs,
    #[command(flatten)]
    pub probe: ProbeArgs,
    #[command(flatten)]
    pub budget: BudgetArgs,
    #[command(flatten)]
    pub agent: AgentArgs,
    #[command(flatten)]
    pub agent_stages: AgentStageArgs,
}

/// The choice whether and for how long the approved code runs again on changed data.
#[derive(Debug, Clone, Copy, Args)]
pub struct ProbeArgs {
    /// Do not run the approved code again without the data, on permuted and on fewer rows,
    /// to see whether its result comes from the data.
    #[arg(long, help_heading = "Execution")]
    pub no_probe: bool,
    /// Seconds that this may take [default: the larger of 20 and 5 times the execution,
    /// and up to twice as much again where something is still wanted then]
    #[arg(
        long,
        value_name = "SECONDS",
        conflicts_with = "no_probe",
        help_heading = "Execution"
    )]
    pub probe_time: Option<u64>,
}

impl ProbeArgs {
    /// As a run keeps it.
    pub fn settings(self) -> Option<ProbeSettings> {
        (!self.no_probe).then_some(ProbeSettings {
            seconds: self.probe_time,
        })
    }

    /// A run's own settings with what was given in their place. A run that was
    /// begun without probes stays so.
    pub fn over(self, before: Option<ProbeSettings>) -> Option<ProbeSettings> {
        before.filter(|_| !self.no_probe).map(|before| ProbeSettings {
            seconds: self.probe_time.or(before.seconds),
        })
    }
}

/// Bounds of each execution.
#[derive(Debug, Args)]
pub struct LimitArgs {
    /// Seconds that one execution may take.
    #[arg(long, default_value_t = Limits::default().seconds, value_name = "SECONDS", help_heading = "Limits")]
    pub time_limit: u64,
    /// Memory of one execution, in MiB.
    #[arg(long, default_value_t = Limits::default().memory >> 20, value_name = "MIB", help_heading = "Limits")]
    pub memory_limit: u64,
    /// Processes and threads of one execution.
    #[arg(long, default_value_t = Limits::default().processes, value_name = "COUNT", help_heading = "Limits")]
    pub process_limit: u64,
}

impl ChoiceArgs {
    /// The choice as it was typed, with a program behind `--`.
    pub fn choice(self, typed: TypedProgramArgs) -> StudyChoice {
        let limits = Limits {
            seconds: self.limits.time_limit,
            memory: self.limits.memory_limit << 20,
            processes: self.limits.process_limit,
            ..Limits::default()
        };
        StudyChoice {
            code_mode: self.code_mode,
            code_access: self.code_access,
            stages: self.stages,
            search: self.search,
            wording: self.wording,
            mend: self.mend,
            probe: self.probe.settings(),
            agent_stages: self.agent_stages.agent_stages,
            agent_data: self.agent_stages.agent_data,
            run: RunChoice {
                model: self.model,
                sampling: self.sampling.sampling(),
                patience: self.sampling.patience(),
                approve: self.approve,
                sandbox: self.sandbox,
                hosts: self.hosts,
                vision_model: self.vision_model,
                stages_dir: self.stages_dir,
                lock: self.lock.choice(),
                budget: self.budget.caps(),
                allow_unpriced: self.budget.allow_unpriced,
                agent: self.agent.choice(typed),
                ..RunChoice::new(limits)
            },
        }
    }
}
