//! The subject of a decision: an execution, a write, a party on the network or a session, as plain
//! data.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use strum::Display;

use crate::domain::digest::Digest;
use crate::domain::excerpt;
use crate::domain::execution::Limits;
use crate::domain::stage::Stage;
use crate::domain::workspace_path::WorkspacePath;

/// The kind of a subject, as rules name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Display, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Action {
    /// Commands run in the sandbox.
    Execute,
    /// A file that exists changes or goes.
    Edit,
    /// A file that does not exist is made.
    Write,
    /// Something leaves for the network.
    Network,
    /// A session of a task's environment is opened.
    Session,
    /// A command is given to a session that is approved.
    Command,
}

/// Something that the gate has to decide.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "subject", rename_all = "snake_case")]
pub enum Subject {
    Execute(Box<Execute>),
    Write(Write),
    Network(Network),
    Session(SessionSubject),
    Command(SessionCommand),
}

/// A command for a session, which the decision on the session covers already: whoever wants to decide
/// on single ones as well says so by a rule. One that a program of others asks about is decided on as well
/// where a person is asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionCommand {
    pub environment: String,
    /// The text that the agent gives.
    pub text: String,
    /// The program that asks before it runs the command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<AskingProgram>,
}

/// A program of others that asks before it runs a command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AskingProgram {
    /// The name of the agent.
    pub agent: String,
    /// The folder that it names for the command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directory: Option<String>,
}

/// A session of a task's environment, with everything that acts in it can reach. A
/// decision covers the session, not each act.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionSubject {
    pub environment: String,
    /// What confines the acts, in a sentence or more.
    pub confinement: String,
    /// Digest of the task's data, which the session sees.
    pub data: Digest,
}

/// One execution, with everything that it can run or touch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Execute {
    /// The form that the digest is of; 0, which is not written, knows of no modes and no empty folders.
    #[serde(default, skip_serializing_if = "is_first")]
    pub form: u32,
    /// Digest of what the declared environment resolves to, image included.
    pub environment: Digest,
    /// The commands, in order.
    pub commands: Vec<Command>,
    /// Every file in the workspace that the commands could run.
    pub files: Vec<CodeFile>,
    /// Folders among them that hold nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub empty_folders: Vec<WorkspacePath>,
    /// The plan, which commands can read beside `work/` and the agent can change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<Box<CodeFile>>,
    pub mounts: Mounts,
    /// Environment variables that are added.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub variables: BTreeMap<String, String>,
    pub limits: Limits,
    /// Whether the sandbox can reach the network: a fixed rule forbids any but
    /// that of named hosts, each with an approval of its own.
    pub network: bool,
    /// The hosts that it can reach.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<String>,
    /// The changed data that the same commands run on afterwards.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probes: Option<Box<Probes>>,
    /// What runs after the commands, each in a copy of the workspace, and decides nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub variants: Vec<VariantCommands>,
}

fn is_first(form: &u32) -> bool {
    *form == 0
}

/// The commands of a variant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VariantCommands {
    pub name: String,
    /// The commands, in order.
    pub commands: Vec<Command>,
    /// Environment variables that are added.
    pub variables: BTreeMap<String, String>,
}

/// The changes of data that show whether a result comes from them. With the data's
/// own digest, every changed copy follows from it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Probes {
    /// Every other seed follows from it.
    pub seed: u64,
    /// The rule that finds the column to be permuted.
    pub column: String,
    /// The changes, with how often each is made at most.
    pub changes: BTreeMap<String, u32>,
    /// The programs that change the data, with their digests.
    pub programs: BTreeMap<String, Digest>,
}

/// A command that no shell reads.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Command {
    /// Program and arguments.
    pub words: Vec<String>,
    /// The folder that it starts in.
    pub directory: WorkspacePath,
}

/// A code file as it would be run.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CodeFile {
    pub path: WorkspacePath,
    pub digest: Digest,
    /// Bytes.
    pub size: u64,
    /// Whether its owner may run it as a program.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub executable: bool,
}

/// The parts of the workspace that the sandbox mounts, and the folder that stands beside them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mounts {
    /// Digest of the whole data tree, which is read-only.
    pub data: Digest,
    /// The only folders that can be written.
    pub writable: Vec<WorkspacePath>,
    /// Digest of the ado-files that Stata is shown beside them, read-only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ado: Option<Digest>,
}

/// The owner of the file at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Owner {
    /// The agent made it, or it does not exist.
    Agent,
    /// It was copied from the study.
    Study,
}

/// One file as it is to become.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Write {
    pub stage: Stage,
    pub path: WorkspacePath,
    pub owner: Owner,
    /// The plan that the stage's commands come from, which it may mend; a part of the
    /// stage's definition, and so of no digest of a content.
    #[serde(skip)]
    pub plan: Option<WorkspacePath>,
    /// `None` where there is no file.
    pub before: Option<Digest>,
    /// `None` where the file is deleted.
    pub after: Option<Digest>,
}

/// One party on the network that a tool talks to. An approval holds for the
/// party, so a person is asked once per host and not once per page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Network {
    pub tool: String,
    /// A host name or address, in lower case.
    pub target: String,
    /// Whether the operator's own settings open it, be it on the public web or not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub operators: bool,
}

/// A link that no tool may follow.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadLink {
    #[error("`{0}` is not a link: give a whole one, such as `https://osf.io/abcde`")]
    Malformed(String),
    #[error("`{0}` is not an http or https link: only web pages can be fetched")]
    Scheme(String),
    #[error("`{0}` holds a user name or password: give the link without it")]
    Credentials(String),
}

impl Network {
    /// The subject of fetching `link`.
    ///
    /// # Errors
    /// A link that is malformed, has a user or password in it, or is of no web scheme.
    pub fn from_link(tool: &str, link: &str) -> Result<Self, BadLink> {
        let shown = || excerpt::shortened(link, 200);
        let parsed = url::Url::parse(link).map_err(|_| BadLink::Malformed(shown()))?;
        if !matches!(parsed.scheme(), "http" | "https") {
            return Err(BadLink::Scheme(shown()));
        }
        if !parsed.username().is_empty() || parsed.password().is_some() {
            let host = parsed.host_str().unwrap_or_default();
            return Err(BadLink::Credentials(format!("{}://…@{host}", parsed.scheme())));
        }
        let host = parsed.host_str().ok_or_else(|| BadLink::Malformed(shown()))?;
        Ok(Self {
            tool: tool.to_owned(),
            target: host.to_ascii_lowercase(),
            operators: false,
        })
    }
}

impl Subject {
    /// The kind, as rules name it.
    pub fn action(&self) -> Action {
        match self {
            Self::Execute(_) => Action::Execute,
            Self::Write(write) if write.before.is_some() => Action::Edit,
            Self::Write(_) => Action::Write,
            Self::Network(_) => Action::Network,
            Self::Session(_) => Action::Session,
            Self::Command(_) => Action::Command,
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// One script, nothing odd.
    pub fn execute() -> Execute {
        let file = |path: &str| CodeFile {
            path: path.parse().unwrap(),
            digest: Digest::compute(path),
            size: 10,
            executable: false,
        };
        Execute {
            form: crate::policy::approval_digest::FORM,
            environment: Digest::compute("python 3.12"),
            commands: vec![Command {
                words: vec!["python".into(), "work/main.py".into()],
                directory: "work".parse().unwrap(),
            }],
            files: vec![file("work/main.py"), file("work/helper.py")],
            empty_folders: vec!["work/empty".parse().unwrap()],
            plan: Some(Box::new(file("replication_info.json"))),
            mounts: Mounts {
                data: Digest::compute("data"),
                writable: vec!["work".parse().unwrap()],
                ado: None,
            },
            variables: BTreeMap::new(),
            limits: Limits {
                seconds: 60,
                memory: 1 << 30,
                processes: 64,
                output: 1 << 20,
                file: 1 << 20,
                processors: None,
            },
            network: false,
            hosts: Vec::new(),
            probes: Some(Box::new(Probes {
                seed: 7,
                column: "the column of `x`".into(),
                changes: BTreeMap::from([("permuted".into(), 20)]),
                programs: BTreeMap::from([("probe_data.py".into(), Digest::compute("program"))]),
            })),
            variants: vec![VariantCommands {
                name: "trimmed".into(),
                commands: vec![Command {
                    words: vec!["python".into(), "work/trimmed.py".into()],
                    directory: "work".parse().unwrap(),
                }],
                variables: BTreeMap::from([("REPRISE_VARIANT".into(), "trimmed".into())]),
            }],
        }
    }

    #[test]
    fn links_are_reduced_to_their_host() {
        let of = |link: &str| Network::from_link("fetch_page", link);
        assert_eq!(of("https://OSF.io/abc?d=e").unwrap().target, "osf.io");
        assert_eq!(of("http://2130706433/").unwrap().target, "127.0.0.1");
        assert!(matches!(of("file:///etc/passwd"), Err(BadLink::Scheme(_))));
        assert!(matches!(of("osf.io"), Err(BadLink::Malformed(_))));
        let error = of("https://me:secret@osf.io/x").unwrap_err();
        assert!(matches!(error, BadLink::Credentials(_)) && !error.to_string().contains("secret"));
    }
}
