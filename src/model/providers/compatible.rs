//! Anything that speaks chat completions, at an address in the model's name.

use crate::model::chat::ModelError;
use crate::model::connection::Connection;
use crate::model::dialect::Dialect;
use crate::model::openai::quirks::PLAIN;
use crate::model::openai_interfaces;
use crate::model::providers::provider::Provider;

pub static COMPATIBLE: Provider = Provider {
    prefix: "openai-api",
    base: None,
    base_variable: None,
    base_path: None,
    version_variables: &[],
    key_variable: "REPRISE_MODEL_KEY",
    needs_key: false,
    max_temperature: None,
};

/// A model of this provider.
///
/// # Errors
/// An address that cannot be asked.
pub fn connect(connection: Connection) -> Result<Box<dyn Dialect>, ModelError> {
    openai_interfaces::with_bearer(connection, PLAIN)
}
