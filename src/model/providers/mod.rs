//! Who serves models: a file for each provider, and a row in [`ALL`].

pub mod anthropic;
pub mod azure;
pub mod compatible;
pub mod gemini;
pub mod lmstudio;
pub mod mistral;
pub mod ollama;
pub mod openai;
pub mod openrouter;
pub mod provider;
pub mod vllm;

use provider::Provider;

/// Every provider, in the order in which messages list them.
pub static ALL: [&Provider; 10] = [
    &openai::OPENAI,
    &anthropic::ANTHROPIC,
    &azure::AZURE,
    &gemini::GEMINI,
    &mistral::MISTRAL,
    &openrouter::OPENROUTER,
    &vllm::VLLM,
    &ollama::OLLAMA,
    &lmstudio::LMSTUDIO,
    &compatible::COMPATIBLE,
];

/// The provider whose models' names begin with `prefix`.
pub fn find(prefix: &str) -> Option<&'static Provider> {
    ALL.into_iter().find(|provider| provider.prefix == prefix)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use reqwest::Url;

    use super::*;

    #[test]
    fn no_two_providers_share_a_name_or_a_key() {
        let prefixes: HashSet<_> = ALL.iter().map(|provider| provider.prefix).collect();
        let keys: HashSet<_> = ALL.iter().map(|provider| provider.key_variable).collect();
        assert_eq!((prefixes.len(), keys.len()), (ALL.len(), ALL.len()));
        for provider in ALL {
            assert_eq!(find(provider.prefix), Some(provider));
            assert!(
                provider.base.is_none_or(|base| Url::parse(base).is_ok()),
                "{provider:?}"
            );
        }
        assert_eq!(find("opnai"), None);
    }
}
