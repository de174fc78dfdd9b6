//! The events of a journal: one for every effect that left the process.

use jiff::Timestamp;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::capsule::terms::CapsuleTerms;
use crate::domain::claim::Claim;
use crate::domain::claim_wording::ClaimWording;
use crate::domain::content::Content;
use crate::domain::conversation::{Finish, ToolCall};
use crate::domain::digest::Digest;
use crate::domain::execution::{BuildFailure, Ending, Environment, Limits, Opened, Tier};
use crate::domain::failure::FailureCause;
use crate::domain::grade::Grade;
use crate::domain::ids::{ApprovalId, ExecutionId, RunId};
use crate::domain::mode::{CodeAccess, CodeMode};
use crate::domain::picture::MediaType;
use crate::domain::price::Prices;
use crate::domain::probe::{ProbeRun, ProbeSettings, ProbeSummary};
use crate::domain::replication;
use crate::domain::rescue::RescueFindings;
use crate::domain::sampling::Sampling;
use crate::domain::stage::Stage;
use crate::domain::study_kind::Origins;
use crate::domain::track::{StageRange, Track};
use crate::domain::usage::{MicroDollars, Usage, is_zero};
use crate::domain::verdict::Verdict;
use crate::domain::waiting::Waiting;
use crate::domain::workspace_path::WorkspacePath;
use crate::notebook::terms::NotebookTerms;
use crate::study::copy::StudyCopy;

use super::program::{ProgramCall, ProgramCallFailed, ProgramEnded, ProgramStarted};

/// An event with its place and time in the journal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Counted from 1 without gaps.
    pub seq: u64,
    pub at: Timestamp,
    pub event: Event,
}

/// A file with its digest and size in bytes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FileRecord {
    pub path: WorkspacePath,
    pub digest: Digest,
    pub size: u64,
}

/// The writable folder at one moment.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    pub files: Vec<FileRecord>,
    /// Folders below it, so that empty ones are put back too.
    pub folders: Vec<WorkspacePath>,
}

/// A reference to a call by its stage, its turn and its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct CallRef {
    pub stage: Stage,
    /// The model's turn within the stage, from 0.
    pub turn: u32,
    /// The call within the turn, from 0.
    pub call: u32,
}

/// The settings of a run; everything that its artifacts depend on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunSettings {
    pub model: String,
    /// Where a recording comes from that answers in a model's place, such as `written by hand`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recording: Option<String>,
    pub code_mode: CodeMode,
    pub code_access: CodeAccess,
    /// The track of the task; absent: replication, the only one of format 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub track: Option<Track>,
    /// The part of the track that is gone through.
    pub stages: StageRange,
    /// The approver in words: `ask`, `auto`, `deny` or `policy:FILE`.
    pub approve: String,
    pub limits: Limits,
    /// How the model draws its answers, where that was asked for.
    #[serde(default, skip_serializing_if = "Sampling::is_default")]
    pub sampling: Sampling,
    /// Digest of the stage definitions in force.
    pub catalog: Digest,
    /// The prices at which its models' calls are paid. Runs of versions before this one
    /// have none, and neither have recordings, which cost nothing.
    #[serde(default, skip_serializing_if = "Prices::is_empty")]
    pub prices: Prices,
    /// How it is probed whether the result comes from the data; absent: not at all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probe: Option<ProbeSettings>,
    /// The lock that environments are held to, as JSON; absent: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lock: Option<Content>,
    /// The day of which environments are, where the run makes its locks itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub as_of: Option<Date>,
    /// How the claim was put to the agent.
    #[serde(default, skip_serializing_if = "ClaimWording::is_as_given")]
    pub wording: ClaimWording,
}

/// The first event of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunStarted {
    /// The format of the journal.
    #[serde(default = "first_format", skip_serializing_if = "is_first_format")]
    pub format: u32,
    pub run: RunId,
    /// The engine's version.
    pub engine: String,
    pub study: String,
    pub title: String,
    /// Where the study's data and code come from, as far as it says so.
    #[serde(default, skip_serializing_if = "Origins::is_empty")]
    pub origins: Origins,
    /// Digest over the study's inputs.
    pub study_digest: Digest,
    pub claim: Claim,
    pub settings: RunSettings,
    /// The study's data as staged.
    pub data: Vec<FileRecord>,
    /// One digest over all staged data.
    pub data_digest: Digest,
    /// The study's code as staged, in the writable folder.
    pub code: Vec<FileRecord>,
    /// What was left out of the workspace, and why.
    pub left_out: Vec<String>,
    /// True if analysis code was looked for in documents, and taken out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub code_searched: bool,
    /// What reports read of the study; absent of another task, and in older journals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub study_copy: Option<StudyCopy>,
    /// The terms of an attempt at a capsule; absent of another task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capsule: Option<CapsuleTerms>,
    /// The terms of an attempt at a notebook task; absent of another task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notebook: Option<NotebookTerms>,
}

impl RunSettings {
    /// The track that the run follows.
    pub fn track(&self) -> &Track {
        self.track.as_ref().unwrap_or_else(|| replication::track())
    }

    /// Whether a stage was asked for.
    pub fn covers(&self, stage: Stage) -> bool {
        self.track().covers(self.stages, stage)
    }
}

fn first_format() -> u32 {
    1
}

fn is_first_format(format: &u32) -> bool {
    *format == 1
}

/// A file that an agent changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Change {
    pub path: WorkspacePath,
    pub before: Option<Digest>,
    pub after: Content,
}

/// The files that a program left in its stage's own copy of the workspace. The run's workspace takes
/// them over after this event, which is their write-ahead record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProgramLeft {
    pub stage: Stage,
    /// The writable folder as it is from here on, as JSON of [`Snapshot`].
    pub work: Content,
    /// Files that are new or different, as far as they are texts; the stage's plan among them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<Change>,
}

/// Something that a program left and that does not do: it is started again with these words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramObjection {
    pub stage: Stage,
    /// For people, in a sentence.
    pub detail: String,
    /// What the program is told.
    pub remark: Content,
}

/// A finished tool call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolFinished {
    #[serde(flatten)]
    pub at: CallRef,
    pub tool: String,
    /// What the model was told.
    pub observation: Content,
    /// What a recording compares instead, where it differs between machines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stable: Option<Content>,
    pub ok: bool,
    /// Written to disk after this event, which is its write-ahead record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<Change>,
    /// The picture that was looked at for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub looked: Option<PictureAnswer>,
    /// What a hosted search took for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spent: Option<Spent>,
    /// What was done in the task's environment, as JSON: a later process does it again
    /// in a session of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub act: Option<Content>,
    /// What the environment keeps of that act besides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept: Option<KeptAct>,
    /// Whether the commands of a plan were ended before they had all run, since whoever asked waited no longer.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub left: bool,
}

/// The record that an environment keeps of an act beside the words that its agent is told.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KeptAct {
    /// JSON, in the environment's own form.
    pub record: Content,
    /// The time that the act took.
    pub wall_ms: u64,
}

/// An act that the task asks for before its agent's turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ActedBeforehand {
    pub stage: Stage,
    /// Counted from 0.
    pub index: u32,
    /// As JSON, in the environment's own form.
    pub act: Content,
    /// What the agent is told of it.
    pub observation: Content,
    pub ok: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept: Option<KeptAct>,
}

/// Tokens of a model other than the run's own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spent {
    /// The model's full name.
    pub model: String,
    pub usage: Usage,
    /// Searches that it made; 0 where the provider did not say.
    #[serde(default)]
    pub searches: u64,
    /// What these cost beside the tokens, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fee: Option<MicroDollars>,
}

/// A picture that a model looked at.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PictureAnswer {
    /// The model's full name.
    pub model: String,
    pub media: MediaType,
    /// The file as it was sent.
    pub picture: Content,
    /// What the look took.
    pub usage: Usage,
}

/// The party that decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DecidedBy {
    Person,
    /// A rule of a policy file, or a fixed rule.
    Policy,
    /// `--approve auto` or `--approve deny`.
    Setting,
}

/// The subject of a question to the approver.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Asking {
    Execute,
    Write,
    Network,
    /// A session of the task's environment.
    Session,
    /// A command for a session.
    Command,
    /// A free question of the agent's to the person who attends the run.
    Person,
}

/// A question that somebody has to answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Asked {
    pub id: ApprovalId,
    #[serde(flatten)]
    pub at: CallRef,
    pub asking: Asking,
    /// One line for people.
    pub summary: String,
    /// The canonical subject; the answer holds for exactly this content.
    pub subject: Content,
    pub digest: Digest,
    /// What there is to look at before answering, such as a diff.
    pub details: Content,
}

/// The answer to a question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Decided {
    pub id: ApprovalId,
    pub digest: Digest,
    pub allowed: bool,
    pub by: DecidedBy,
    /// Advice with a refusal, an answer to a question, or the rule's reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<String>,
}

/// The result of making an environment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BuildResult {
    Ready(Environment),
    Failed(BuildFailure),
}

/// The lock of what a plan declares, made by asking the indexes for the versions of the run's day.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LockMade {
    #[serde(flatten)]
    pub at: CallRef,
    /// Digest of the wish: the day, the interpreters and the packages.
    pub wish: Digest,
    /// As JSON.
    pub lock: Content,
    pub wall_ms: u64,
}

/// A command is about to run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExecutionStarted {
    pub id: ExecutionId,
    #[serde(flatten)]
    pub at: CallRef,
    /// The entry of the plan, or of its variant, from 0.
    pub entry: u32,
    /// The variant that it is of; absent: the main analysis.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
    pub path: WorkspacePath,
    pub command: Vec<String>,
    /// The approval it runs under.
    pub digest: Digest,
    /// The writable folder as it was, as JSON of [`Snapshot`].
    pub before: Content,
}

/// A command ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExecutionFinished {
    pub id: ExecutionId,
    pub ending: Ending,
    pub stdout: Content,
    pub stderr: Content,
    /// Bytes written to each stream, dropped ones included.
    pub stdout_bytes: u64,
    pub stderr_bytes: u64,
    pub opened: Opened,
    /// Files of the writable folder that are new or different; the first ones, where there
    /// are many.
    pub outputs: Vec<FileRecord>,
    /// The others, where there are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub further: Option<FurtherOutputs>,
    /// Files that were too large to be read, and are told apart by size and time alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unread: Option<UnreadFiles>,
    pub wall_ms: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peak_memory: Option<u64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Of a command that failed: what the table of old code knows of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rescue: Option<RescueFindings>,
}

/// Outputs that an event has no room for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FurtherOutputs {
    pub count: u64,
    pub bytes: u64,
    /// Those outputs, as JSON of a list of [`FileRecord`].
    pub list: Content,
}

/// Files of the writable folder whose content was not read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnreadFiles {
    pub count: u64,
    pub bytes: u64,
    /// The first of them.
    pub paths: Vec<WorkspacePath>,
}

/// The end of a stage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "result", rename_all = "snake_case")]
pub enum StageEnd {
    Finished {
        /// The answer in canonical form, as pretty JSON.
        artifact: Content,
        /// What was accepted although it was not in canonical form.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        deviations: Vec<String>,
    },
    Failed {
        cause: FailureCause,
        detail: String,
    },
}

/// The halt of a run that could go on: a budget that is spent, or a provider that refuses or does
/// not answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Halted {
    pub stage: Stage,
    pub cause: FailureCause,
    pub detail: String,
    /// What the call that was not answered had waited for.
    #[serde(default, skip_serializing_if = "Waiting::is_none")]
    pub waiting: Waiting,
}

/// The work that a signal cut short.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Work {
    Model,
    /// Finding or making an environment.
    Build,
    Execution,
    /// Tools, and whatever else the engine does itself.
    #[default]
    Engine,
}

/// The taking up of a run by another process.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Resumption {
    /// Everything that is different from before, in words.
    pub note: String,
    /// How the model draws its answers from here on, where that has changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sampling: Option<Sampling>,
    /// The prices from here on, where they have changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prices: Option<Prices>,
    /// Who approves from here on, where that has changed, in the words of the settings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approve: Option<String>,
    /// True where a person stands in the model's place from here on.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_hand: bool,
}

/// Something that happened, as the journal keeps it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Event {
    RunStarted(Box<RunStarted>),
    /// The process that writes the journal from here on is another one.
    Resumed(Resumption),
    /// More of the track is gone through than the run was begun for.
    Extended {
        stages: StageRange,
        /// Where the plan was registered meanwhile, as a person says.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        registration: Option<String>,
    },
    StageStarted {
        stage: Stage,
        system: Content,
        user: Content,
        tools: Vec<String>,
        /// Whether tools are called natively, or through the text protocol.
        native_calls: bool,
        /// Whether its agent is a program of others.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        by_program: bool,
        /// Bytes that shrinking old results has to save; `None`: nothing is shrunk.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        shrink_at: Option<u64>,
        /// Bytes of the conversation below which nothing is shrunk.
        #[serde(default, skip_serializing_if = "is_zero")]
        shrink_from: u64,
    },
    ModelAnswered {
        stage: Stage,
        turn: u32,
        /// Digest of the request as a chain over its messages.
        request: Digest,
        text: Content,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        calls: Vec<ToolCall>,
        finish: Finish,
        usage: Usage,
        /// From the first attempt to the answer, waits included.
        wall_ms: u64,
        #[serde(default, skip_serializing_if = "Waiting::is_none")]
        waiting: Waiting,
        /// What the provider wants back with the next request, as JSON of
        /// [`Reasoning`](crate::domain::reasoning::Reasoning).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        thoughts: Option<Content>,
        /// The name of the person who answered in the place of a model.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        author: Option<String>,
        /// The call of the program that asked, where the agent is one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        program: Option<Box<ProgramCall>>,
    },
    /// A call of the program that is the stage's agent got no answer.
    CallFailed(Box<ProgramCallFailed>),
    /// A program that is the stage's agent was started.
    ProgramStarted(Box<ProgramStarted>),
    ProgramEnded(Box<ProgramEnded>),
    ProgramLeft(Box<ProgramLeft>),
    ProgramObjected(Box<ProgramObjection>),
    ToolFinished(Box<ToolFinished>),
    /// What the task asks for before its agent's turn was done in its environment.
    ActedBeforehand(Box<ActedBeforehand>),
    /// An attempt is over that submitted nothing: its agent writes a plan, and begins again where the
    /// task began.
    AttemptOver {
        stage: Stage,
        /// Why, as a clause.
        why: String,
    },
    /// The answer of a turn was held against the web, or against the claim.
    AnswerReviewed {
        stage: Stage,
        turn: u32,
        /// What was found, such as of each proposed address.
        checks: Content,
        /// What the model was told; absent where the answer stands.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        remark: Option<Content>,
    },
    Asked(Box<Asked>),
    Decided(Box<Decided>),
    /// The indexes were asked for what a plan declares.
    LockMade(Box<LockMade>),
    Built {
        #[serde(flatten)]
        at: CallRef,
        /// Digest of what was asked for, as the sandbox resolved it.
        digest: Digest,
        tier: Tier,
        result: BuildResult,
        wall_ms: u64,
        /// How it differs from what was asked for, a sentence each.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        notes: Vec<String>,
    },
    ExecutionStarted(Box<ExecutionStarted>),
    ExecutionFinished(Box<ExecutionFinished>),
    ExecutionInterrupted {
        id: ExecutionId,
    },
    /// A session of the task's environment was closed, with what is to be known of it.
    SessionEnded {
        notes: Vec<String>,
    },
    StageEnded {
        stage: Stage,
        #[serde(flatten)]
        end: StageEnd,
    },
    /// The approved commands ran again on changed data.
    ProbeFinished(Box<ProbeRun>),
    /// It is told whether the result comes from the data, or cannot be.
    Probed(Box<ProbeSummary>),
    /// The run stops before its stage is over, and can be resumed.
    Halted(Halted),
    /// A signal stops the process amid some work, which a later one begins again.
    Interrupted {
        during: Work,
        /// What a call of the model that was cut short had waited for.
        #[serde(default, skip_serializing_if = "Waiting::is_none")]
        waiting: Waiting,
    },
    /// The machine slept before the next event, or its clock jumped ahead, by so many milliseconds.
    Paused {
        ms: u64,
    },
    RunFinished {
        verdict: Box<Verdict>,
    },
    /// The end of a run whose track has another grader than the preregistered rule.
    RunGraded {
        grade: Box<Grade>,
    },
}
