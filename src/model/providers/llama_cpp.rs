//! The HTTP server of llama.cpp.

use crate::model::chat::ModelError;
use crate::model::connection::Connection;
use crate::model::dialect::Dialect;
use crate::model::openai::quirks::PLAIN;
use crate::model::openai_interfaces;
use crate::model::providers::provider::Provider;

pub static LLAMA_CPP: Provider = Provider {
    prefix: "llama.cpp",
    base: Some("http://127.0.0.1:8080/v1"),
    base_variable: Some("LLAMA_CPP_BASE_URL"),
    base_path: None,
    version_variables: &[],
    key_variable: "LLAMA_API_KEY",
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
