//! Providers of models: a file for each, and a row in [`ALL`].

pub mod anthropic;
pub mod azure;
pub mod compatible;
pub mod gemini;
pub mod llama_cpp;
pub mod lmstudio;
pub mod mistral;
pub mod ollama;
pub mod openai;
pub mod openrouter;
pub mod provider;
pub mod vllm;

use provider::Provider;

use crate::model::chat::ModelError;
use crate::model::connection::Connection;
use crate::model::dialect::Dialect;
use crate::model::openai::quirks::PLAIN;

/// A provider and how its models are asked.
pub struct Row {
    pub provider: &'static Provider,
    connect: fn(Connection) -> Result<Box<dyn Dialect>, ModelError>,
}

const fn row(
    provider: &'static Provider,
    connect: fn(Connection) -> Result<Box<dyn Dialect>, ModelError>,
) -> Row {
    Row { provider, connect }
}

/// Every provider, in the order in which messages list them.
pub static ALL: [Row; 11] = [
    row(&openai::OPENAI, openai::connect),
    row(&anthropic::ANTHROPIC, anthropic::connect),
    row(&azure::AZURE, azure::connect),
    row(&gemini::GEMINI, gemini::connect),
    row(&mistral::MISTRAL, mistral::connect),
    row(&openrouter::OPENROUTER, openrouter::connect),
    row(&vllm::VLLM, vllm::connect),
    row(&ollama::OLLAMA, ollama::connect),
    row(&lmstudio::LMSTUDIO, lmstudio::connect),
    row(&llama_cpp::LLAMA_CPP, llama_cpp::connect),
    row(&compatible::COMPATIBLE, compatible::connect),
];

/// Every provider, in the order of [`ALL`].
pub fn all() -> impl Iterator<Item = &'static Provider> {
    ALL.iter().map(|row| row.provider)
}

/// The provider whose models' names begin with `prefix`.
pub fn find(prefix: &str) -> Option<&'static Provider> {
    all().find(|provider| provider.prefix == prefix)
}

/// The field by which the provider's chat completions limit an answer.
pub fn output_limit(provider: &Provider) -> &'static str {
    match [&openai::OPENAI, &azure::AZURE].contains(&provider) {
        true => openai::QUIRKS.output_limit,
        false => PLAIN.output_limit,
    }
}

/// The model of a connection, asked as its provider wants it.
///
/// # Errors
/// A key that is needed and absent, an address that cannot be asked, or a provider without a row.
pub fn connect(connection: Connection) -> Result<Box<dyn Dialect>, ModelError> {
    let provider = connection.endpoint.provider;
    let row = ALL.iter().find(|row| row.provider == provider).ok_or_else(|| {
        ModelError::Misconfigured(format!(
            "`{}` has no row in the table of providers.",
            provider.prefix
        ))
    })?;
    (row.connect)(connection)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use reqwest::Url;

    use super::*;

    #[test]
    fn no_two_providers_share_a_name_or_a_key() {
        let prefixes: HashSet<_> = all().map(|provider| provider.prefix).collect();
        let keys: HashSet<_> = all().map(|provider| provider.key_variable).collect();
        assert_eq!((prefixes.len(), keys.len()), (ALL.len(), ALL.len()));
        for provider in all() {
            assert_eq!(find(provider.prefix), Some(provider));
            assert!(
                provider.base.is_none_or(|base| Url::parse(base).is_ok()),
                "{provider:?}"
            );
        }
        assert_eq!(find("opnai"), None);
    }
}
