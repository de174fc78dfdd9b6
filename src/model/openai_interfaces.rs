//! The two interfaces of OpenAI's, which most servers follow.

use crate::model::chat::ModelError;
use crate::model::connection::Connection;
use crate::model::dialect::Dialect;
use crate::model::openai::dialect::ChatCompletions;
use crate::model::openai::endpoint::OpenAiEndpoint;
use crate::model::openai::quirks::Quirks;
use crate::model::responses::dialect::Responses;

/// A model behind the interface that the table of models says: responses, or chat completions.
///
/// # Errors
/// An address that takes no path.
pub fn at(
    endpoint: OpenAiEndpoint,
    connection: Connection,
    quirks: Quirks,
) -> Result<Box<dyn Dialect>, ModelError> {
    Ok(match connection.capabilities.responses {
        Some(true) => Box::new(Responses::new(connection, endpoint, quirks)?),
        _ => Box::new(ChatCompletions::new(connection, endpoint, quirks)?),
    })
}

/// A model at the provider's own address, with its key as a bearer token.
///
/// # Errors
/// A key that is needed and absent, or an address that cannot be asked.
pub fn with_bearer(connection: Connection, quirks: Quirks) -> Result<Box<dyn Dialect>, ModelError> {
    at(
        OpenAiEndpoint::with_bearer(&connection.endpoint)?,
        connection,
        quirks,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::connection::on_loopback;
    use crate::model::openai::quirks::PLAIN;
    use crate::model::providers::openai::OPENAI;
    use crate::model::providers::vllm::VLLM;

    #[test]
    fn a_missing_key_is_named_where_one_is_needed() {
        let keyless = |provider| {
            let mut connection = on_loopback(provider);
            connection.endpoint.key = None;
            with_bearer(connection, PLAIN).map(|dialect| dialect.contact().headers.clone())
        };
        let error = keyless(&OPENAI).unwrap_err().to_string();
        assert!(error.contains("OPENAI_API_KEY"), "{error}");
        assert!(keyless(&VLLM).unwrap().is_empty());
    }

    #[test]
    fn the_table_of_models_chooses_the_interface() {
        let asked = |responses| {
            let mut connection = on_loopback(&OPENAI);
            connection.capabilities.responses = responses;
            let dialect = with_bearer(connection, PLAIN).unwrap();
            dialect.contact().address.path().to_owned()
        };
        assert_eq!(asked(None), "/v1/chat/completions");
        assert_eq!(asked(Some(true)), "/v1/responses");
    }
}
