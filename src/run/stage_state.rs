//! What is known of one stage.

use std::collections::BTreeMap;

use crate::domain::content::Content;
use crate::domain::conversation::{Finish, ToolCall};
use crate::domain::digest::Digest;
use crate::domain::usage::Usage;
use crate::domain::waiting::Waiting;

use super::event::{StageEnd, ToolFinished};

/// One answer of the model and what came of its calls.
#[derive(Debug, Clone, PartialEq)]
pub struct TurnState {
    pub request: Digest,
    pub text: Content,
    pub calls: Vec<ToolCall>,
    pub finish: Finish,
    pub usage: Usage,
    pub wall_ms: u64,
    pub waiting: Waiting,
    /// Finished calls by their index.
    pub results: BTreeMap<u32, ToolFinished>,
}

/// A stage that has begun.
#[derive(Debug, Clone, PartialEq)]
pub struct StageState {
    pub system: Content,
    pub user: Content,
    pub tools: Vec<String>,
    pub native_calls: bool,
    pub turns: Vec<TurnState>,
    pub end: Option<StageEnd>,
    /// What calls that were never answered had waited for.
    pub in_vain: Waiting,
}

impl StageState {
    /// Tokens of every answered call.
    pub fn usage(&self) -> Usage {
        self.turns
            .iter()
            .fold(Usage::default(), |sum, turn| sum + turn.usage)
    }

    /// The answer, where the stage finished.
    pub fn artifact(&self) -> Option<&Content> {
        match &self.end {
            Some(StageEnd::Finished { artifact, .. }) => Some(artifact),
            _ => None,
        }
    }
}
