//! What makes one model of one provider.

use crate::domain::sampling::Sampling;
use crate::model::endpoint::Endpoint;

/// What makes one model of one provider.
#[derive(Debug, Clone)]
pub struct OpenAiSettings {
    /// The full name, such as `openai/gpt-5`.
    pub name: String,
    /// The address without `/chat/completions`.
    pub reach: Endpoint,
    /// The version of Azure's interface, where it is not the one this was written for.
    pub api_version: Option<String>,
    /// The model (or Azure deployment) as the provider knows it.
    pub model: String,
    pub sampling: Sampling,
    /// Whether the model takes native tool calls.
    pub calls_tools: bool,
    /// Whether the model can be held to a schema.
    pub keeps_forms: bool,
    /// Whether the model gives its thoughts, encrypted, to be sent back; only the
    /// Responses interface does.
    pub gives_thoughts: bool,
}
