//! The contract of a tool, and the outcomes of a call.
//!
//! A tool never acts on the world by itself. It reads the workspace, and says
//! what it saw, what it wants changed, or what only the engine can perform; the
//! engine asks the gate, writes the journal, and acts.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::domain::digest::Digest;
use crate::domain::workspace_path::WorkspacePath;
use crate::model::chat::ToolSpec;
use crate::tools::look::Look;
use crate::tools::workspace::Workspace;

/// The observation of a call, as the model is told it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Observation {
    /// Capped text; a cut says so, with the size and where the whole is.
    pub text: String,
    /// What a recording compares instead, where `text` differs between machines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stable: Option<String>,
    /// Whether the call did what it was asked to do.
    pub ok: bool,
    /// How the command of a shell stands, for clients that are told so apart from the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<CommandProgress>,
}

/// The standing of a command that an act of a shell gave or waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CommandProgress {
    /// It still runs.
    Running,
    /// It has ended, with this exit status.
    Ended(i32),
}

impl Observation {
    /// A call that worked.
    pub fn good(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            stable: None,
            ok: true,
            command: None,
        }
    }

    /// A call that did not; the text tells the model what to do about it.
    pub fn bad(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            stable: None,
            ok: false,
            command: None,
        }
    }
}

/// One file as it is to become.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    pub path: WorkspacePath,
    /// Digest of the content that the change was made against; `None` for a new file.
    pub before: Option<Digest>,
    /// The whole new content.
    pub after: Vec<u8>,
    /// Unified diff, for people and for the model.
    pub diff: String,
}

/// Something that only the engine can perform.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "want", rename_all = "snake_case")]
pub enum Request {
    /// Build the declared environment and run the planned entry points in order.
    RunAnalysis {
        /// Why, in the agent's words; shown to whoever approves.
        #[serde(default)]
        reason: String,
    },
    /// An act in the environment of the task, in the environment's own form.
    Act { action: Value },
    /// A question to the person who attends the run.
    AskPerson { question: String },
    /// A query to a web search engine.
    WebSearch { query: String, limit: u32 },
    /// One page of the web, as text.
    FetchPage { url: String },
    /// A question about a picture.
    LookAtImage(Box<Look>),
    /// Whether the addresses of the search stage's answer are there.
    CheckAddresses {
        urls: Vec<String>,
        /// Hosts that may not be reached; their addresses are told apart, unasked.
        #[serde(default)]
        refused: Vec<String>,
    },
}

/// The outcome of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolOutcome {
    /// Nothing but an observation.
    Observed(Observation),
    /// A file is to change; the observation holds once it has.
    Change(FileChange, Observation),
    /// The engine has to act.
    Wanted(Request),
}

/// A tool of the registry.
pub trait Tool: Send + Sync {
    /// The name that a model calls it by.
    fn name(&self) -> &'static str;

    /// Name, description and the schema of the arguments.
    fn spec(&self) -> ToolSpec;

    /// Calls the tool. A wrong argument, a missing file and the like are
    /// observations with `ok: false`; nothing here is an error of the run.
    fn call(&self, arguments: &Value, workspace: &Workspace) -> ToolOutcome;
}
