//! The definition of an agent, as `agent.toml` holds it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::domain::digest::Digest;
use crate::domain::failure::FailureCause;
use crate::domain::proxy_dialect::ProxyDialect;
use crate::domain::workspace_path::WorkspacePath;

use super::events::AgentEvents;
use super::placeholder::{Placeholder, placeholders};
use super::release::AgentRelease;
use super::varying::{MistypedPart, VaryingParts};

/// An agent that is a program of somebody else.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentDefinition {
    pub agent: String,
    /// The agent in a few words.
    pub about: String,
    /// The release that the definition was written for, and where it is to be had.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub release: Option<AgentRelease>,
    /// The words of its command.
    pub command: Vec<String>,
    /// The dialect that it speaks; absent: whichever the run's model is asked in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dialect: Option<ProxyDialect>,
    /// Whether the prompt is its standard input.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub prompt_on_stdin: bool,
    /// Further names by which it may call the run's model.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub model_names: Vec<String>,
    /// Regular expressions of what is another with every start in the texts of its requests, beside ids
    /// and dates: a replay and a resumption do not look at it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub varying: Vec<String>,
    /// Whether it asks before each command of its shell, at the model's address and `/reprise/command`, and
    /// runs none that is refused.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub asks_for_commands: bool,
    pub limits: AgentLimits,
    pub answer: AgentAnswer,
    /// The events that it prints, by which it says what it ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub events: Option<AgentEvents>,
    /// The causes of failure that exit statuses stand for, where it left no answer.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub exits: BTreeMap<String, FailureCause>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub environment: BTreeMap<String, String>,
    /// Files that it finds below its home folder.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<WorkspacePath, String>,
}

/// The limits of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentLimits {
    /// Seconds that it may take.
    pub wall_seconds: u64,
    /// Seconds that it may be without a call and without output.
    pub idle_seconds: u64,
    /// Seconds that it may go on behind a call that a cap refused.
    pub grace_seconds: u64,
    /// Calls that a cap refuses before it is ended at once.
    pub refused_calls: u64,
    /// Millions of bytes that are recorded of its calls at most, in the whole run.
    #[serde(default = "recorded_megabytes", skip_serializing_if = "is_usually_recorded")]
    pub recorded_megabytes: u64,
    /// Starts for one stage of several: another one is told what of the one before did not do.
    #[serde(default = "rounds", skip_serializing_if = "is_usual_rounds")]
    pub rounds: u32,
}

/// Requests are recorded by their differences, of which this holds thousands.
fn recorded_megabytes() -> u64 {
    500
}

fn is_usually_recorded(number: &u64) -> bool {
    *number == recorded_megabytes()
}

fn rounds() -> u32 {
    3
}

fn is_usual_rounds(number: &u32) -> bool {
    *number == rounds()
}

/// The place of a program's answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentAnswer {
    /// From the folder that the program starts in; the first that is there counts.
    pub files: Vec<WorkspacePath>,
}

impl AgentDefinition {
    /// The digest of the definition, by which a run says which one it was.
    pub fn digest(&self) -> Digest {
        Digest::compute_json(self)
    }

    /// Whether its command is typed by whoever runs it.
    pub fn takes_program(&self) -> bool {
        self.command
            .iter()
            .any(|word| word == Placeholder::Program.text())
    }

    /// Whether it passes on what it is told by name.
    pub fn takes_arguments(&self) -> bool {
        let passes = |text: &String| text.contains(Placeholder::Arguments.text());
        self.command.iter().any(passes)
            || self.environment.values().any(passes)
            || self.files.values().any(passes)
    }

    /// The cause that an exit status stands for, where the program left no answer.
    pub fn cause_of(&self, status: i32) -> FailureCause {
        let found = self.exits.get(&status.to_string());
        found.copied().unwrap_or(FailureCause::InvalidAnswer)
    }

    /// What is another with every start in its requests.
    ///
    /// # Errors
    /// An expression that is none, which no definition has that was loaded.
    pub fn varying_parts(&self) -> Result<VaryingParts, MistypedPart> {
        VaryingParts::new(&self.varying)
    }

    /// What keeps the definition from being used, in a sentence.
    pub(super) fn fault(&self) -> Option<String> {
        if self.command.is_empty() {
            return Some("`command` is empty: it has to name a program".to_owned());
        }
        if self.answer.files.is_empty() {
            return Some("`answer.files` is empty: nothing would be read of it".to_owned());
        }
        if let Err(why) = self.varying_parts() {
            return Some(why.to_string());
        }
        if let Some(why) = self.events.as_ref().and_then(AgentEvents::fault) {
            return Some(why);
        }
        if let Some(why) = self.release.as_ref().and_then(AgentRelease::fault) {
            return Some(why);
        }
        let limits = self.limits;
        if limits.wall_seconds == 0 || limits.idle_seconds == 0 {
            return Some("a limit of 0 seconds lets no program begin".to_owned());
        }
        if let Some(status) = self.exits.keys().find(|status| status.parse::<u8>().is_err()) {
            return Some(format!("`exits` has `{status}`, which is no exit status"));
        }
        let wrong = |name: &&String| {
            name.is_empty()
                || !name
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        };
        if let Some(name) = self.environment.keys().find(wrong) {
            return Some(format!("`{name}` is no name of a variable"));
        }
        let texts = self
            .command
            .iter()
            .chain(self.environment.values())
            .chain(self.files.values());
        let unknown = texts
            .flat_map(|text| placeholders(text))
            .find(|name| Placeholder::find(name).is_none());
        unknown.map(|name| {
            format!(
                "`{{{name}}}` is no placeholder; there are {}",
                Placeholder::listed()
            )
        })
    }
}
