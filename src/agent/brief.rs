//! What a conversation starts from.

use std::sync::Arc;

use crate::domain::criterion::FixedCriterion;
use crate::domain::stage::Stage;
use crate::model::chat::ToolSpec;

/// The bounds of one conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TurnLimits {
    /// Answers of the model at most.
    pub turns: u32,
    /// Completion tokens of one answer at most.
    pub output_tokens: u32,
    /// How often an answer that does not fit its schema is sent back.
    pub repairs: u32,
}

/// A stage's prompts, tools and bounds.
#[derive(Debug, Clone)]
pub struct Brief {
    pub stage: Stage,
    pub system: Arc<str>,
    pub user: Arc<str>,
    pub tools: Arc<[ToolSpec]>,
    /// Whether the model takes native tool calls; else the text protocol is used.
    pub native_calls: bool,
    pub limits: TurnLimits,
    /// Bytes that shrinking old results has to save; `None`: nothing is shrunk.
    pub shrink_at: Option<u64>,
    /// The rule that the study fixes for its claim.
    pub criterion: Option<FixedCriterion>,
}
