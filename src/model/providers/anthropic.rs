//! Anthropic.

use crate::model::anthropic::dialect::Messages;
use crate::model::chat::ModelError;
use crate::model::connection::Connection;
use crate::model::dialect::Dialect;
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
};

/// A model of this provider.
///
/// # Errors
/// A key that is needed and absent, or an address that cannot be asked.
pub fn connect(connection: Connection) -> Result<Box<dyn Dialect>, ModelError> {
    Ok(Box::new(Messages::new(connection)?))
}
