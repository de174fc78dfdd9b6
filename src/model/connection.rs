//! The connection to one model: endpoint, sampling and capabilities.

use crate::domain::sampling::Sampling;
use crate::model::capabilities::Capabilities;
use crate::model::endpoint::Endpoint;

/// One model of one provider, and how it is to be asked.
#[derive(Debug, Clone)]
pub struct Connection {
    /// The full name, such as `openai/gpt-5`.
    pub name: String,
    /// The model (or deployment) as the provider knows it.
    pub model: String,
    pub endpoint: Endpoint,
    /// The version of the provider's interface, where it is not the one that its file names.
    pub api_version: Option<String>,
    pub sampling: Sampling,
    pub capabilities: Capabilities,
}

impl Connection {
    /// Whether the model takes native tool calls; most do.
    pub fn calls_tools(&self) -> bool {
        self.capabilities.tools.unwrap_or(true)
    }

    /// Whether an answer can be held to a schema.
    pub fn keeps_schemas(&self) -> bool {
        self.capabilities.schema == Some(true)
    }

    /// Whether an effort is a budget of tokens to think within, rather than a word.
    pub fn thinks_within(&self) -> bool {
        self.capabilities.thinking_budget == Some(true)
    }

    /// Whether the model thinks before it answers.
    pub fn reasons(&self) -> bool {
        self.capabilities
            .reasoning_effort
            .is_some_and(|efforts| !efforts.is_empty())
    }
}

/// A connection for unit tests, to `m` on this machine.
#[cfg(test)]
pub fn on_loopback(provider: &'static crate::model::providers::provider::Provider) -> Connection {
    Connection {
        name: format!("{}/m", provider.prefix),
        model: "m".into(),
        endpoint: Endpoint {
            provider,
            base: "http://127.0.0.1:9/v1".parse().unwrap(),
            key: crate::model::key::Key::new("0123456789").ok(),
            budget: crate::model::timeouts::AttemptBudget::default(),
        },
        api_version: None,
        sampling: Sampling::default(),
        capabilities: Capabilities {
            schema: Some(true),
            ..Capabilities::default()
        },
    }
}
