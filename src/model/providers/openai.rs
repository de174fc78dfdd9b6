//! OpenAI.

use crate::model::chat::ModelError;
use crate::model::connection::Connection;
use crate::model::dialect::Dialect;
use crate::model::openai::quirks::{PLAIN, Quirks};
use crate::model::openai_interfaces;
use crate::model::providers::provider::Provider;

pub const QUIRKS: Quirks = Quirks {
    output_limit: "max_completion_tokens",
    prompt_cache_key: true,
    ..PLAIN
};

pub static OPENAI: Provider = Provider {
    prefix: "openai",
    base: Some("https://api.openai.com/v1"),
    base_variable: Some("OPENAI_BASE_URL"),
    base_path: None,
    version_variables: &[],
    key_variable: "OPENAI_API_KEY",
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
