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
    /// Of an answer that was held against the web.
    pub review: Option<ReviewState>,
}

/// What a review of an answer found, and what the model was told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewState {
    pub checks: Content,
    pub remark: Option<Content>,
}

/// A stage that has begun.
#[derive(Debug, Clone, PartialEq)]
pub struct StageState {
    pub system: Content,
    pub user: Content,
    pub tools: Vec<String>,
    pub native_calls: bool,
    /// Bytes that shrinking old results has to save; `None`: nothing is shrunk.
    pub shrink_at: Option<u64>,
    pub turns: Vec<TurnState>,
    pub end: Option<StageEnd>,
    /// What calls that were never answered had waited for.
    pub in_vain: Waiting,
}

impl StageState {
    /// How many answers were held against the web.
    pub fn reviews(&self) -> usize {
        self.turns.iter().filter(|turn| turn.review.is_some()).count()
    }

    /// Tokens of every answered call, and of every picture that was looked at.
    pub fn usage(&self) -> Usage {
        self.turns
            .iter()
            .flat_map(|turn| {
                let looks = turn.results.values().filter_map(|result| result.looked.as_ref());
                looks.map(|looked| looked.usage).chain([turn.usage])
            })
            .fold(Usage::default(), |sum, usage| sum + usage)
    }

    /// The answer, where the stage finished.
    pub fn artifact(&self) -> Option<&Content> {
        match &self.end {
            Some(StageEnd::Finished { artifact, .. }) => Some(artifact),
            _ => None,
        }
    }
}
