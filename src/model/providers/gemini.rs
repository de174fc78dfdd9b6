//! Google's Gemini, through its compatible interface.

use crate::domain::reasoning::ReasoningFormat;
use crate::model::chat::ModelError;
use crate::model::connection::Connection;
use crate::model::dialect::Dialect;
use crate::model::openai::quirks::{PLAIN, Quirks};
use crate::model::openai_interfaces;
use crate::model::providers::provider::Provider;

const QUIRKS: Quirks = Quirks {
    reasoning: Some(ReasoningFormat::Gemini),
    ..PLAIN
};

pub static GEMINI: Provider = Provider {
    prefix: "gemini",
    base: Some("https://generativelanguage.googleapis.com/v1beta/openai"),
    base_variable: Some("GEMINI_BASE_URL"),
    base_path: None,
    version_variables: &[],
    key_variable: "GEMINI_API_KEY",
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
