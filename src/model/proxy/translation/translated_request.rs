//! A request between two dialects.

use crate::domain::proxy_dialect::ProxyDialect;
use crate::domain::sampling::Sampling;
use crate::model::chat::{Message, ToolSpec};
use crate::model::response_schema::ResponseSchema;

/// The choice of tools that a request leaves to the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolChoice {
    Auto,
    /// No tool is to be called.
    Never,
    /// Some tool is to be called.
    Any,
    /// The tool of this name is to be called.
    Named(String),
}

impl ToolChoice {
    /// The choice by the word that chat completions and Responses have for it.
    pub fn of_word(word: &str) -> Option<Self> {
        match word {
            "auto" => Some(Self::Auto),
            "none" => Some(Self::Never),
            "required" => Some(Self::Any),
            _ => None,
        }
    }
}

/// The form that a request wants its answer in.
#[derive(Debug, Clone, PartialEq)]
pub enum AnswerForm {
    Text,
    /// Some JSON object.
    JsonObject,
    Schema(ResponseSchema),
}

/// A tool that the client runs.
#[derive(Debug, Clone, PartialEq)]
pub struct TranslatedTool {
    pub spec: ToolSpec,
    /// Whether its arguments are to keep to its schema.
    pub is_strict: bool,
}

/// A conversation with its settings, in no dialect.
#[derive(Debug, Clone, PartialEq)]
pub struct TranslatedRequest {
    pub messages: Vec<Message>,
    pub tools: Vec<TranslatedTool>,
    pub choice: Option<ToolChoice>,
    pub sampling: Sampling,
    pub form: AnswerForm,
}

/// A request as it was read, before another dialect has places for it.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadRequest {
    pub request: TranslatedRequest,
    /// The place of the first message of the system's behind one of somebody else.
    pub late_system: Option<String>,
}

/// A request on its way into another dialect.
#[derive(Debug, Clone, PartialEq)]
pub struct TranslatedCall {
    pub into: ProxyDialect,
    pub request: TranslatedRequest,
}
