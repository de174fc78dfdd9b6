//! The request for a run, kept in the run's folder so that `resume` needs
//! nothing but that folder. Holds no secret.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::capsule::dockerfile::base_table::BaseImages;
use crate::capsule::layout::level::{Layout, Level};
use crate::capsule::task_file::CapsuleId;
use crate::domain::answer_patience::AnswerPatience;
use crate::domain::claim_wording::ClaimWording;
use crate::domain::digest::Digest;
use crate::domain::execution::Limits;
use crate::domain::ids::RunId;
use crate::domain::mode::{CodeAccess, CodeMode};
use crate::domain::probe::ProbeSettings;
use crate::domain::proxy_dialect::ProxyDialect;
use crate::domain::release_tree::ReleaseTree;
use crate::domain::sampling::Sampling;
use crate::domain::stage::Stage;
use crate::domain::track::{StageRange, Track};
use crate::environment::date::AsOf;
use crate::environment::dated::DatedNeeds;
use crate::environment::lock::EnvironmentLock;
use crate::model::name::HUMAN;
use crate::notebook::limits::NotebookLimits;
use crate::notebook::terms::{Cleaning, NotebookAgent};
use crate::policy::limits::Budget;

use super::atomic_file;
use super::error::EngineError;

/// The format that this version writes. Since format 2 code records its results,
/// extraction is checked against the claim, and the usual criterion is fixed.
pub const FORMAT: u32 = 2;

/// The sandbox that was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum SandboxChoice {
    /// The best that works here.
    Auto,
    /// A Docker-compatible daemon.
    Docker,
    /// Linux namespaces, or Landlock where they are forbidden.
    Local,
    /// Landlock alone, even where namespaces work.
    #[value(hide = true)]
    Landlock,
}

/// The end of an attempt whose session is gone, as its container is where somebody removed it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum LostSession {
    /// None: its commands are run again in another session.
    #[default]
    Rerun,
    /// The attempt is over, by the infrastructure's fault, and unscored.
    Close,
}

impl LostSession {
    fn is_usual(&self) -> bool {
        *self == Self::default()
    }
}

/// The making of mends of old code that change no result.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum MendChoice {
    /// The agent is shown them, and makes them or not.
    #[default]
    Propose,
    /// The engine makes them, behind the same approval as any change.
    ByRule,
}

impl MendChoice {
    fn is_usual(&self) -> bool {
        *self == Self::default()
    }
}

/// A policy file as it was when the run began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PolicyText {
    pub name: String,
    pub text: String,
}

/// The approver that was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Approve {
    Ask,
    Auto,
    Deny,
    Policy(PolicyText),
}

impl Approve {
    /// The approver as the settings of a run name it.
    pub fn words(&self) -> String {
        match self {
            Self::Ask => "ask".to_owned(),
            Self::Auto => "auto".to_owned(),
            Self::Deny => "deny".to_owned(),
            Self::Policy(policy) => {
                let digest = Digest::compute(&policy.text);
                format!("policy:{} ({})", policy.name, digest.short())
            }
        }
    }
}

/// Everything that a run depends on, besides the study's content.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunRequest {
    pub format: u32,
    pub run: RunId,
    /// The folder of the task: a study, or one with a `task.toml`.
    pub study: PathBuf,
    /// The track of a task that is no study.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub track: Option<String>,
    pub model: String,
    /// How the model draws its answers, where that was asked for.
    #[serde(default, skip_serializing_if = "Sampling::is_default")]
    pub sampling: Sampling,
    /// How long the model's answers are waited for, where that was asked for.
    #[serde(default, skip_serializing_if = "AnswerPatience::is_default")]
    pub patience: AnswerPatience,
    pub code_mode: CodeMode,
    pub code_access: CodeAccess,
    pub stages: StageRange,
    pub approve: Approve,
    pub sandbox: SandboxChoice,
    pub limits: Limits,
    /// Hosts that executed code may reach, once each is approved; none as a rule.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<String>,
    /// What the model's calls may come to.
    #[serde(default, skip_serializing_if = "Budget::is_empty")]
    pub budget: Budget,
    /// Whether a model without a known price may be asked.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub allow_unpriced: bool,
    /// Where the session is recorded, as an absolute path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record: Option<PathBuf>,
    /// The search engine of the search stage, as `--search` names it; none by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<String>,
    /// The model that looks at pictures, in place of the run's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vision_model: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stages_dir: Option<PathBuf>,
    /// Where the plan was registered, as a person says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub registration: Option<String>,
    /// How it is probed whether the result comes from the data; absent: not at all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probe: Option<ProbeSettings>,
    /// The capsule that is attempted; absent of another task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capsule: Option<CapsuleRequest>,
    /// The notebook task that is attempted; absent of another task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notebook: Option<NotebookRequest>,
    /// The program that is the agent; absent where our own loop is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentRequest>,
    /// Who makes mends of old code that change no result.
    #[serde(default, skip_serializing_if = "MendChoice::is_usual")]
    pub mend: MendChoice,
    /// The lock that environments are held to, as it was when the run began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lock: Option<Box<EnvironmentLock>>,
    /// What its task tells of its time, where environments are of that time and the run makes their locks itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dated: Option<Box<DatedNeeds>>,
    /// How the claim is put to the agent.
    #[serde(default, skip_serializing_if = "ClaimWording::is_as_given")]
    pub wording: ClaimWording,
}

/// A program of somebody else's as the agent of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentRequest {
    /// The name of its definition.
    pub name: String,
    /// Program and arguments, where its definition takes them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub program: Vec<String>,
    /// The dialect that it has to be answered in, where that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dialect: Option<ProxyDialect>,
    /// A folder with its files, which it sees read-only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files: Option<PathBuf>,
    /// The digest of that folder as it was asked for, where it is of no release.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files_digest: Option<Digest>,
    /// The release that the folder is of, where it was added by this program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub release: Option<ReleaseTree>,
    /// A folder whose definitions of agents stand before the built-in ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agents_dir: Option<PathBuf>,
    /// The stages that it carries, where our own loop carries the others; absent: all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stages: Option<StageRange>,
    /// True where it is shown the data in stages that come before the plan is carried out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub data_before_plan: bool,
    /// What it is told by name, where its definition passes that on.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub arguments: BTreeMap<String, String>,
}

/// An attempt at a capsule, as it was asked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CapsuleRequest {
    /// The name of the task file, in the folder of the task.
    pub tasks: String,
    pub id: CapsuleId,
    /// The folder of the capsule, as it was published.
    pub source: PathBuf,
    pub level: Level,
    pub layout: Layout,
    /// Hosts that the session may reach over http and https, where its sandbox can open any.
    pub hosts: Vec<String>,
    /// Images that stand in for published ones.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub base_images: BaseImages,
    #[serde(default, skip_serializing_if = "LostSession::is_usual")]
    pub lost_session: LostSession,
    /// The agent of this program that attempts it; absent where our own loop or a program of others does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// A workspace that was laid out beforehand, whose `work/` lies beneath that of the run, copy-on-write;
    /// absent where the capsule is copied.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beneath: Option<PathBuf>,
}

/// An attempt at a notebook task, as it was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotebookRequest {
    /// The name of the task file, in the folder of the task.
    pub tasks: String,
    pub id: String,
    /// The mirror of its repository; absent of a task that names none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mirror: Option<MirrorRequest>,
    /// Hosts that the session may reach over http and https, where its sandbox can open any.
    pub hosts: Vec<String>,
    /// Packages of Python, in canonical form, and of Debian that are installed beforehand.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub packages: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub system: Vec<String>,
    pub limits: NotebookLimits,
    pub cleaning: Cleaning,
    #[serde(default, skip_serializing_if = "LostSession::is_usual")]
    pub lost_session: LostSession,
    /// The agent of this program that attempts it; absent where our own loop does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<NotebookAgent>,
}

/// The mirror of a repository, and what of it is copied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MirrorRequest {
    pub folder: PathBuf,
    /// The commit; absent of a mirror without a history.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
}

impl RunRequest {
    /// A request of these stages of a task, with nothing chosen but the model and the approver.
    pub fn new(run: RunId, task: PathBuf, stages: StageRange, model: String, approve: Approve) -> Self {
        Self {
            format: FORMAT,
            run,
            study: task,
            track: None,
            model,
            sampling: Sampling::default(),
            patience: AnswerPatience::default(),
            code_mode: CodeMode::Native,
            code_access: CodeAccess::Code,
            stages,
            approve,
            sandbox: SandboxChoice::Auto,
            limits: Limits::default(),
            hosts: Vec::new(),
            budget: Budget::default(),
            allow_unpriced: false,
            record: None,
            search: None,
            vision_model: None,
            stages_dir: None,
            registration: None,
            probe: None,
            capsule: None,
            notebook: None,
            agent: None,
            mend: MendChoice::default(),
            lock: None,
            dated: None,
            wording: ClaimWording::AsGiven,
        }
    }

    /// The day of which the run's packages are: that of its lock, or the one that it makes locks of.
    pub fn as_of(&self) -> Option<&AsOf> {
        let of_lock = self.lock.as_ref().map(|lock| &lock.as_of);
        of_lock.or(self.dated.as_ref().map(|dated| &dated.as_of))
    }

    /// The program that carries a stage of the run's track; `None` where our own loop does.
    pub fn program_in(&self, track: &Track, stage: Stage) -> Option<&AgentRequest> {
        let carries = |agent: &&AgentRequest| agent.stages.is_none_or(|range| track.covers(range, stage));
        self.agent.as_ref().filter(carries)
    }

    /// The agent of this program that goes through the stages; `None` where our own loop does.
    pub fn stage_agent(&self) -> Option<&str> {
        let of_capsule = self.capsule.as_ref().and_then(|capsule| capsule.agent.as_deref());
        let of_notebook = self
            .notebook
            .as_ref()
            .and_then(|notebook| notebook.agent.as_ref());
        of_capsule.or(of_notebook.map(|agent| agent.name.as_str()))
    }

    /// The wish for a session that is gone; `None` of a task without sessions.
    pub fn lost_session(&self) -> Option<LostSession> {
        let capsule = self.capsule.as_ref().map(|capsule| capsule.lost_session);
        capsule.or(self.notebook.as_ref().map(|notebook| notebook.lost_session))
    }

    /// The same, to be changed.
    pub fn lost_session_mut(&mut self) -> Option<&mut LostSession> {
        match (&mut self.capsule, &mut self.notebook) {
            (Some(capsule), _) => Some(&mut capsule.lost_session),
            (None, Some(notebook)) => Some(&mut notebook.lost_session),
            (None, None) => None,
        }
    }

    /// True where a person stands in the model's place.
    pub fn is_by_hand(&self) -> bool {
        self.model == HUMAN
    }

    /// Writes the request; atomic, and never over another.
    ///
    /// # Errors
    /// A folder that cannot be written to, or a request that is there.
    pub fn save(&self, path: &Path) -> Result<(), EngineError> {
        let text = serde_json::to_vec_pretty(self)
            .map_err(|error| EngineError::Unusable(format!("the request cannot be written: {error}")))?;
        atomic_file::create(path, &text)
    }

    /// Writes the request in the place of what stands there.
    ///
    /// # Errors
    /// A folder that cannot be written to.
    pub fn update(&self, path: &Path, partial: &Path) -> Result<(), EngineError> {
        let text = serde_json::to_vec_pretty(self)
            .map_err(|error| EngineError::Unusable(format!("the request cannot be written: {error}")))?;
        atomic_file::replace(path, &text, partial)
    }

    /// Reads the request of a run's folder.
    ///
    /// # Errors
    /// A folder without a run, a file that is no request, or one of a newer format.
    pub fn load(path: &Path) -> Result<Self, EngineError> {
        let text = fs::read(path).map_err(|error| {
            if error.kind() == std::io::ErrorKind::NotFound {
                let folder = path.parent().unwrap_or(path).display();
                EngineError::Unusable(format!(
                    "{folder} is not a run: it holds no run.json; `reprise run STUDY --out DIR` makes one"
                ))
            } else {
                EngineError::io(path, error)
            }
        })?;
        let request: Self = serde_json::from_slice(&text)
            .map_err(|error| EngineError::Unusable(format!("{}: {error}", path.display())))?;
        if request.format > FORMAT {
            return Err(EngineError::Unusable(format!(
                "{} is in format {}, and this version knows {FORMAT}: use a newer reprise",
                path.display(),
                request.format
            )));
        }
        Ok(request)
    }
}
