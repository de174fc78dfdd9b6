//! Responses of a model, and their positions in a run.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::stage::Stage;
use super::usage::Usage;
use crate::domain::reasoning::Reasoning;

/// A call of a tool, as the model wrote it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCall {
    /// The provider's id, or one of ours where it gave none.
    pub id: String,
    pub name: String,
    /// The arguments as JSON text, unparsed and untrusted.
    pub arguments: String,
}

/// The position of a call in a run: its stage, and its turn in the stage from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Position {
    pub stage: Stage,
    pub turn: u32,
}

/// The reason for which the model stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Finish {
    /// It was done, or wants its calls answered.
    Stop,
    /// The output limit cut it: never parsed, always continued.
    Length,
    /// The model or a filter declined.
    Refused,
}

/// One answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChatResponse {
    pub text: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<ToolCall>,
    pub finish: Finish,
    #[serde(default)]
    pub usage: Usage,
    /// What the provider wants back with the next request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thoughts: Option<Arc<Reasoning>>,
}
