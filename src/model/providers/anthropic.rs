//! Anthropic.

use crate::model::anthropic::dialect::Messages;
use crate::model::providers::provider::Provider;

pub static ANTHROPIC: Provider = Provider {
    prefix: "anthropic",
    base: Some("https://api.anthropic.com/v1"),
    base_variable: Some("ANTHROPIC_BASE_URL"),
    // Its own tools take the address without the version.
    base_path: Some("/v1"),
    version_variables: &[],
    key_variable: "ANTHROPIC_API_KEY",
    needs_key: true,
    max_temperature: Some(1.0),
    connect: |connection| Ok(Box::new(Messages::new(connection)?)),
};
