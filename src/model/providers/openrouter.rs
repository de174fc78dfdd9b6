//! OpenRouter, which passes requests on to other providers.

use crate::domain::reasoning::ReasoningFormat;
use crate::model::chat::ModelError;
use crate::model::connection::Connection;
use crate::model::dialect::Dialect;
use crate::model::openai::quirks::{PLAIN, Quirks};
use crate::model::openai_interfaces;
use crate::model::providers::provider::Provider;

const QUIRKS: Quirks = Quirks {
    nested_effort: true,
    reasoning: Some(ReasoningFormat::OpenRouter),
    ..PLAIN
};

pub static OPENROUTER: Provider = Provider {
    prefix: "openrouter",
    base: Some("https://openrouter.ai/api/v1"),
    base_variable: Some("OPENROUTER_BASE_URL"),
    base_path: None,
    version_variables: &[],
    key_variable: "OPENROUTER_API_KEY",
    needs_key: true,
    max_temperature: None,
};

/// A model of this provider.
///
/// # Errors
/// A key that is needed and absent, or an address that cannot be asked.
pub fn connect(connection: Connection) -> Result<Box<dyn Dialect>, ModelError> {
    openai_interfaces::with_bearer(connection, QUIRKS)
}
