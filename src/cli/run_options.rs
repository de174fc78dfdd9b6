//! From what was typed to the request that a run keeps.

use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use clap::Args;

use crate::app;
use crate::app::program::Program;
use crate::catalog::stages::load::{Catalog, LackingStage};
use crate::domain::claim_only;
use crate::domain::claim_wording::ClaimWording;
use crate::domain::digest::Digest;
use crate::domain::execution::Limits;
use crate::domain::ids::RunId;
use crate::domain::mode::{CodeAccess, CodeMode, Setting};
use crate::domain::probe::ProbeSettings;
use crate::domain::track::StageSelection;
use crate::engine::request::{Approve, FORMAT, MendChoice, PolicyText, RunRequest, SandboxChoice};
use crate::model::recording::path::recording_path;
use crate::policy::limits::Caps;
use crate::policy::scope::Scope;

use super::agent_args::{AgentArgs, AgentCompany, AgentStageArgs};
use super::budget::{self, BudgetArgs};
use super::chosen_agent::{AgentTrack, ChosenAgent, chosen};
use super::exit::Failure;
use super::host_name::host_name;
use super::lock_args::LockArgs;
use super::sampling::SamplingArgs;
use super::task::{self, Task};

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
    #[arg(long, default_value_t = 3600, value_name = "SECONDS", help_heading = "Limits")]
    pub time_limit: u64,
    /// Memory of one execution, in MiB.
    #[arg(long, default_value_t = 4096, value_name = "MIB", help_heading = "Limits")]
    pub memory_limit: u64,
    /// Processes and threads of one execution.
    #[arg(long, default_value_t = 256, value_name = "COUNT", help_heading = "Limits")]
    pub process_limit: u64,
}

impl ChoiceArgs {
    /// Which of the three settings the choice comes to.
    pub fn setting(&self) -> Setting {
        Setting::new(self.code_mode, self.code_access)
    }

    /// Opens the task of a run, on the track that its agent goes through.
    ///
    /// # Errors
    /// A folder that is no usable task, or an agent that has no use for it.
    pub fn open(&self, path: &Path) -> Result<Task, Failure> {
        let mut task = task::open(path)?;
        if self.agent.is_claim_only() {
            self.agent.ensure_no_program()?;
            if task.study.is_none() {
                return Err(Failure::usage(format!(
                    "--agent {} guesses the outcome of a study's claim, and {} is none",
                    claim_only::TRACK,
                    path.display()
                )));
            }
            task.track = Some(claim_only::TRACK.to_owned());
        }
        Ok(task)
    }

    /// The request of a run of `task` in `folder`, under a name that other runs
    /// may have as well.
    ///
    /// # Errors
    /// An approval, a budget, a model or a search engine that cannot be had as it was typed.
    pub async fn request(
        &self,
        program: &Program,
        task: &Task,
        name: &str,
        folder: &Path,
    ) -> Result<RunRequest, Failure> {
        let approve = approve(&self.approve)?;
        app::run::approver(&approve)?;
        let settings = &program.settings;
        let company = AgentCompany {
            model: self.model.as_deref(),
            sampling: self.sampling.sampling(),
            approve: &approve,
        };
        let of = AgentTrack {
            track: task.track.as_deref(),
            stages_dir: self.stages_dir.as_deref(),
        };
        let ChosenAgent { own, program: agent } = chosen(program, &self.agent, of, company)?;
        if let Some(own) = own {
            return Err(Failure::usage(format!(
                "--agent {}: agents that are part of this program go through capsules and notebook tasks alone: leave it out",
                own.name
            )));
        }
        let model = match &self.model {
            Some(model) => model.clone(),
            None => default_model(task, self.setting())?,
        };
        let catalog = self.catalog(program, task)?;
        let track = catalog.track();
        let stages = self.stages.within(track);
        let stages = stages.map_err(|problem| Failure::usage(format!("--stages: {problem}")))?;
        let lacking = catalog.lacking(stages);
        if let Some(LackingStage { stage, needs }) = lacking {
            return Err(Failure::usage(format!(
                "--stages {stages}: the stage {stage} works on what {needs} came to, and no stage before it is \
                 gone through: begin with {needs} or earlier"
            )));
        }
        let agent = agent
            .map(|agent| self.agent_stages.over(agent, track, stages))
            .transpose()?;
        let mut budget = budget::resolve(&approve, &self.budget)?;
        budget::check(&budget, track)?;
        *budget.at(Scope::Batch) = Caps::default();
        let search = app::searching::search_name(settings, self.search.as_deref(), &model)?;
        Ok(RunRequest {
            format: FORMAT,
            run: run_id(name, folder),
            study: fs::canonicalize(&task.root).unwrap_or_else(|_| task.root.clone()),
            track: task.track.clone(),
            model,
            sampling: self.sampling.sampling(),
            code_mode: self.code_mode,
            code_access: self.code_access,
            stages,
            approve,
            sandbox: app::sandboxes::settled(settings, self.sandbox).await,
            limits: Limits {
                seconds: self.limits.time_limit,
                memory: self.limits.memory_limit << 20,
                processes: self.limits.process_limit,
                ..Limits::default()
            },
            hosts: self.hosts.clone(),
            budget,
            allow_unpriced: self.budget.allow_unpriced,
            record: None,
            search: search.map(|name| name.to_string()),
            vision_model: self.vision_model.clone(),
            stages_dir: self.stages_dir.clone(),
            registration: None,
            probe: self.probe.settings(),
            capsule: None,
            notebook: None,
            agent,
            mend: self.mend,
            lock: self.lock.given()?,
            dated: self.lock.dated(&task.root, &task.root.display().to_string())?,
            wording: self.wording,
        })
    }

    /// The definitions in force for a task.
    ///
    /// # Errors
    /// A track that this program does not know, or a definition that cannot be used.
    pub fn catalog(&self, program: &Program, task: &Task) -> Result<Catalog, Failure> {
        let overrides = self.stages_dir.as_deref();
        Ok(program.tracks.catalog(task.track.as_deref(), overrides)?)
    }

    /// The caps on several runs together, from the policy file and the flags.
    ///
    /// # Errors
    /// An approval or a budget that cannot be had as it was typed.
    pub fn together(&self) -> Result<Caps, Failure> {
        Ok(budget::resolve(&approve(&self.approve)?, &self.budget)?.caps(Scope::Batch))
    }
}

/// Unlike every other run's on this machine, since no two have one folder.
pub fn run_id(name: &str, folder: &Path) -> RunId {
    let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let place = Digest::compute(folder.as_os_str().as_encoded_bytes()).short();
    RunId::new(format!("{name}-{}", &place[..6]))
}

/// The recording of a study for a setting, or of another task for its track, where it
/// has one.
fn default_model(task: &Task, setting: Setting) -> Result<String, Failure> {
    let name = task.track.as_deref().unwrap_or_else(|| setting.name());
    if recording_path(&task.root, name).is_file() {
        return Ok(format!("recorded:{name}"));
    }
    Err(Failure::usage(format!(
        "name a model with --model, such as openai/gpt-5, or `human` to fill in forms: {} has no recording for the setting {name}",
        task.root.display()
    )))
}

/// The longest policy file, in bytes.
const POLICY: u64 = 1 << 20;

fn policy_text(file: &str) -> io::Result<String> {
    let mut text = String::new();
    // A device or a pipe may never end.
    fs::File::open(file)?.take(POLICY + 1).read_to_string(&mut text)?;
    if text.len() as u64 > POLICY {
        let why = format!("more than {POLICY} bytes are no policy: name a TOML file of rules");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, why));
    }
    Ok(text)
}

/// The approver that asks about the session and about each command that is given to it.
const ASK_COMMANDS: &str = "ask:commands";

/// The approver that was typed, with the policy that it names.
///
/// # Errors
/// Something that is no approver, or a policy file that cannot be read.
pub fn approve(text: &str) -> Result<Approve, Failure> {
    match text {
        "ask" => Ok(Approve::Ask),
        ASK_COMMANDS => Ok(Approve::Policy(PolicyText {
            name: ASK_COMMANDS.to_owned(),
            text: "[[rule]]\naction = \"command\"\ndecision = \"ask\"\n".to_owned(),
        })),
        "auto" => Ok(Approve::Auto),
        "deny" => Ok(Approve::Deny),
        _ => match text.strip_prefix("policy:") {
            Some(file) => {
                let text = policy_text(file)
                    .map_err(|error| Failure::usage(format!("--approve: {file}: {error}")))?;
                Ok(Approve::Policy(PolicyText {
                    name: file.to_owned(),
                    text,
                }))
            }
            None => Err(Failure::usage(format!(
                "--approve {text}: expected ask, {ASK_COMMANDS}, auto, deny or policy:FILE"
            ))),
        },
    }
}
