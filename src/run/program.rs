//! The program of somebody else that is the agent of a stage, as the journal keeps what it did.

use serde::{Deserialize, Serialize};

use crate::domain::content::Content;
use crate::domain::digest::Digest;
use crate::domain::failure::FailureCause;
use crate::domain::proxy_dialect::ProxyDialect;
use crate::domain::release_tree::ReleaseTree;
use crate::domain::stage::Stage;
use crate::domain::usage::{Usage, is_zero};
use crate::policy::limits::Reached;

/// The call of a program's that a journaled answer is to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProgramCall {
    pub dialect: ProxyDialect,
    /// Whether the answer was streamed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub streamed: bool,
    /// The body as the program sent it.
    pub asked: RequestDifference,
    /// The bytes that the program was given.
    pub served: Content,
    /// What was taken out of the body, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<String>,
    /// The names of headers that were not sent on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stripped: Vec<String>,
}

/// A call of a program's that got no answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramCallFailed {
    pub stage: Stage,
    /// Digest of the request, as those of answered calls.
    pub request: Digest,
    pub dialect: ProxyDialect,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub streamed: bool,
    /// The body as the program sent it, held against that of the last call that was answered.
    pub asked: RequestDifference,
    /// The cap that did not allow it; absent where the provider was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reached: Option<Reached>,
    /// Why, in words.
    pub why: String,
    /// Tokens of its attempts, which the provider may charge.
    #[serde(default, skip_serializing_if = "Usage::is_none")]
    pub lost: Usage,
    /// The status and the bytes that the program was given.
    pub status: u16,
    pub served: Content,
}

/// The body of a request, as its difference from that of the turn before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestDifference {
    /// Bytes at the beginning that are those of the request before.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub beginning: u64,
    /// Bytes at the end that are.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub end: u64,
    /// The bytes between.
    pub between: Content,
}

/// The reach of a program to the data of its task.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DataReach {
    /// All of it, as the task has it.
    #[default]
    Task,
    /// Documents and facts on columns, and no row: its stage comes before the plan is carried out.
    Withheld,
    /// All of it, in a stage that comes before the plan is carried out.
    BeforePlan,
}

impl DataReach {
    fn is_of_task(&self) -> bool {
        *self == Self::Task
    }
}

/// A program was started in the task's environment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProgramStarted {
    pub stage: Stage,
    /// The name of the agent.
    pub agent: String,
    /// Digest of the agent's definition.
    pub definition: Digest,
    /// The release whose files it was, where it was added by this program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub release: Option<ReleaseTree>,
    /// The digest of the folder with its files, where it is of no release.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files: Option<Digest>,
    /// Program and arguments, with `{token}` and `{prompt}` where these stand.
    pub command: Vec<String>,
    /// What it saw of the task's data.
    #[serde(default, skip_serializing_if = "DataReach::is_of_task")]
    pub data: DataReach,
}

/// The end of a program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProgramEnding {
    /// It ended by itself, with this exit status.
    Exited(i32),
    /// It was ended at its time limit, in seconds.
    OutOfTime(u64),
    /// It was ended after so many seconds without a call and without output.
    Idle(u64),
    /// It was ended, or ended by itself, behind a call that a cap did not allow.
    Spent(String),
    /// The provider did not answer it.
    Unanswered(String),
    /// Its session ended.
    SessionOver(SessionOver),
    /// It was ended, or ended by itself, behind a call for which there was no room: so many bytes are recorded of its
    /// calls at most.
    Full(u64),
    /// It was ended since it had asked about a command and nobody was there to decide.
    Undecided,
}

/// The end of a session under a program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionOver {
    pub cause: FailureCause,
    pub why: String,
}

/// The source of the commands that a program is said to have run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CommandSource {
    /// The events that it prints.
    Events,
    /// The calls by which the model told it to run something, where its events are not known.
    ModelCalls,
}

impl CommandSource {
    fn words(self) -> &'static str {
        match self {
            Self::Events => "the program's own events report",
            Self::ModelCalls => "the model's calls told it to run",
        }
    }
}

/// The commands of one start of a program: as they were reported, and as they were seen from outside.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RanCommands {
    pub source: CommandSource,
    pub reported_count: u64,
    /// Those that were reported, as a JSON list.
    pub reported: Content,
    pub seen_count: u64,
    /// Those that were seen in the process table, as JSON of a list of
    /// [`SeenCommand`](crate::domain::seen_command::SeenCommand).
    pub seen: Content,
    /// How often an interpreter of analyses was seen to run code, which the program may have tried analyses by.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub code_runs: u64,
    /// Why nothing was seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_observed: Option<String>,
    /// The longest time between two looks, where it was so long that a command can have been missed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub longest_gap_ms: u64,
    /// Those that were seen and that nothing reported accounts for.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unreported_count: u64,
    /// The first of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unreported: Vec<String>,
}

impl RanCommands {
    /// What is to be known of them, a sentence each.
    fn sentences(&self, agent: &str) -> Vec<String> {
        let reported = format!("{} {} commands", self.source.words(), self.reported_count);
        if let Some(why) = &self.not_observed {
            return vec![format!(
                "What `{agent}` ran was not observed from outside: {why}. For itself, {reported}."
            )];
        }
        let interval = match self.longest_gap_ms {
            0 => "every millisecond (what lives for less can be missing)".to_owned(),
            gap => format!(
                "every millisecond where the machine was not too busy: the longest time between two looks was {gap} ms, \
                 and what lives for less can be missing"
            ),
        };
        let mut sentences = vec![format!(
            "{} commands of `{agent}` were seen in its sandbox from outside, by looking at the process table {interval}; \
             {reported}.",
            self.seen_count
        )];
        if self.unreported_count > 0 {
            let named: Vec<String> = self
                .unreported
                .iter()
                .take(SHOWN)
                .map(|command| format!("`{command}`"))
                .collect();
            sentences.push(format!(
                "Commands that were seen and that nothing which was reported accounts for: {}, the first ones: {}.",
                self.unreported_count,
                named.join("; ")
            ));
        }
        sentences
    }
}

/// Commands that a sentence names.
const SHOWN: usize = 10;

/// A program ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProgramEnded {
    pub stage: Stage,
    pub ending: ProgramEnding,
    /// What it printed, both streams in their order, capped.
    pub output: Content,
    /// The file with its answer, where it left one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Content>,
    pub calls: CallCounts,
    /// What it ran, as far as that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ran: Option<Box<RanCommands>>,
    /// Requests that were turned away before they were calls: why, the first ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub turned_away: Vec<String>,
    pub wall_ms: u64,
    /// What is to be known of its session, a sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// Counts of a program's calls, beside those that are journaled.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallCounts {
    /// Calls that were answered out of this journal, since an earlier start had paid for them.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub served_again: u64,
    /// Calls that came again and were given the answer of the first.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub resent: u64,
    /// Calls that a cap did not allow.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub refused: u64,
    /// Calls that failed otherwise.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub failed: u64,
    /// Requests that were turned away before they were calls.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub turned_away: u64,
}

impl ProgramEnding {
    /// The end as the rest of a clause on the program.
    pub fn words(&self) -> String {
        match self {
            Self::Exited(status) => format!("ended with exit status {status}"),
            Self::OutOfTime(seconds) => format!("was ended at its limit of {seconds} seconds"),
            Self::Idle(seconds) => {
                format!("was ended after {seconds} seconds without a call of the model and without output")
            }
            Self::Spent(why) => format!("was ended behind a call that was not allowed: {why}"),
            Self::Unanswered(why) => format!("ended behind a call that was not answered: {why}"),
            Self::Full(most) => format!(
                "was ended after a call that could not be recorded: {most} bytes are recorded of its calls at most"
            ),
            Self::SessionOver(over) => format!("ended with its session, which {}", over.why),
            Self::Undecided => {
                "was ended until somebody decides on the command that it asked about".to_owned()
            }
        }
    }
}

impl ProgramEnded {
    /// Whether the stage is not over with it: more budget, a provider that answers, or a decision lets
    /// another start come further.
    pub fn may_go_on(&self) -> bool {
        match self.ending {
            ProgramEnding::Undecided => true,
            ProgramEnding::Spent(_) | ProgramEnding::Unanswered(_) => self.answer.is_none(),
            _ => false,
        }
    }

    /// What is to be known of it, a sentence each.
    pub fn sentences(&self, agent: &str) -> Vec<String> {
        let mut sentences = vec![format!("The agent `{agent}` {}.", self.ending.words())];
        match &self.ran {
            Some(ran) => sentences.extend(ran.sentences(agent)),
            None => sentences.push(format!(
                "What `{agent}` ran was not observed: the journal holds its calls of the model and what it printed."
            )),
        }
        let counts = [
            (
                self.calls.served_again,
                "answered out of the journal, since an earlier start of the program had paid for them",
            ),
            (
                self.calls.resent,
                "sent again by the program, and answered as the first time without being paid again",
            ),
            (self.calls.refused, "refused at a cap"),
            (self.calls.failed, "not answered by the provider"),
            (self.calls.turned_away, "turned away before they were calls"),
        ];
        for (count, what) in counts.into_iter().filter(|(count, _)| *count > 0) {
            sentences.push(format!("Requests of the program's that were {what}: {count}."));
        }
        sentences.extend(
            self.turned_away
                .iter()
                .map(|why| format!("A request was turned away: {why}")),
        );
        sentences.extend(self.notes.iter().cloned());
        sentences
    }
}
