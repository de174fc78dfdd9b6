//! What makes one model of Anthropic's.

use crate::domain::sampling::Sampling;
use crate::model::endpoint::Endpoint;

/// What makes one model.
#[derive(Debug, Clone)]
pub struct AnthropicSettings {
    /// The full name, such as `anthropic/claude-sonnet-4-5`.
    pub name: String,
    /// The address without `/messages`, and the key, which is needed.
    pub reach: Endpoint,
    /// The model as the provider knows it.
    pub model: String,
    pub sampling: Sampling,
    /// Most tokens of an answer where a request sets no bound; the interface
    /// insists on one.
    pub default_output: u32,
    /// Whether the model can be held to a schema.
    pub keeps_forms: bool,
    /// Whether an effort is a budget of tokens to think within.
    pub thinks_within: bool,
}
