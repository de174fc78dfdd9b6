//! A vLLM server of one's own.

use crate::model::chat::ModelError;
use crate::model::connection::Connection;
use crate::model::dialect::Dialect;
use crate::model::openai::quirks::PLAIN;
use crate::model::openai_interfaces;
use crate::model::providers::provider::Provider;

pub static VLLM: Provider = Provider {
    prefix: "vllm",
    base: Some("http://127.0.0.1:8000/v1"),
    base_variable: Some("VLLM_BASE_URL"),
    base_path: None,
    version_variables: &[],
    key_variable: "VLLM_API_KEY",
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
