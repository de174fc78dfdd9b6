//! The form of a stage's conversation: our own, or that of an agent that was published.

use serde::{Deserialize, Serialize};

use super::template::Template;

/// The way in which a model is asked and its answers are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DialogueForm {
    /// `Thought:`, `Action:` and a content between marks; the whole history is one message.
    React,
    /// A discussion and one fenced command; a message for each answer and for what came of it.
    Commands,
}

impl DialogueForm {
    /// The tools without which nothing can be said in the form.
    pub(super) fn tools(self) -> &'static [&'static str] {
        match self {
            Self::React => &["execute", "submit"],
            Self::Commands => &["execute", "file_command", "submit"],
        }
    }
}

/// The conversation of a published agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Dialogue {
    /// The agent's name.
    pub agent: String,
    pub form: DialogueForm,
    /// Attempts at most; behind one that submitted nothing the model writes a plan for the next.
    pub attempts: u32,
    /// The prompt for that plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reflection: Option<Template>,
}
