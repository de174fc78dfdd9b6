//! Mistral.

use crate::model::chat::ModelError;
use crate::model::connection::Connection;
use crate::model::dialect::Dialect;
use crate::model::openai::quirks::{PLAIN, Quirks};
use crate::model::openai_interfaces;
use crate::model::providers::provider::Provider;

const QUIRKS: Quirks = Quirks {
    seed: "random_seed",
    // It counts the tokens of every stream, and knows no such option.
    stream_options: false,
    call_id_length: Some(9),
    ..PLAIN
};

pub static MISTRAL: Provider = Provider {
    prefix: "mistral",
    base: Some("https://api.mistral.ai/v1"),
    base_variable: Some("MISTRAL_BASE_URL"),
    base_path: None,
    version_variables: &[],
    key_variable: "MISTRAL_API_KEY",
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
