//! Where a provider is, and how it wants to be asked.

use async_openai::config::Config;
use reqwest::Url;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use secrecy::SecretString;

use crate::model::chat::ModelError;
use crate::model::http::check_base;
use crate::model::key::{Key, no_key};
use crate::model::name::Provider;

/// The version of Azure's interface that is asked for.
const AZURE_VERSION: &str = "2024-10-21";

/// An address with its headers, made once for all calls.
#[derive(Clone)]
pub struct Endpoint {
    base: String,
    headers: HeaderMap,
    query: Vec<(&'static str, &'static str)>,
    key: SecretString,
}

impl Endpoint {
    /// The endpoint of a provider. `base` is its address without
    /// `/chat/completions`; for Azure the resource's address, to which the
    /// deployment is added.
    pub fn new(provider: Provider, base: &Url, key: Option<&Key>, model: &str) -> Result<Self, ModelError> {
        check_base(base)?;
        let mut headers = HeaderMap::new();
        if let Some(key) = key {
            let (name, value) = match provider {
                Provider::Azure => (HeaderName::from_static("api-key"), key.expose().to_owned()),
                _ => (AUTHORIZATION, format!("Bearer {}", key.expose())),
            };
            let mut value = HeaderValue::try_from(value).map_err(|_| {
                ModelError::Misconfigured(format!(
                    "The key for {} cannot be sent in a header. Check where it comes from.",
                    provider.prefix()
                ))
            })?;
            value.set_sensitive(true);
            headers.insert(name, value);
        } else if provider.needs_key() {
            return Err(no_key(provider));
        }
        let azure = provider == Provider::Azure;
        Ok(Self {
            base: address(base, azure.then_some(model))?,
            headers,
            query: if azure {
                vec![("api-version", AZURE_VERSION)]
            } else {
                Vec::new()
            },
            key: SecretString::from(""),
        })
    }
}

fn address(base: &Url, deployment: Option<&str>) -> Result<String, ModelError> {
    let mut url = base.clone();
    url.set_query(None);
    url.set_fragment(None);
    if let Some(deployment) = deployment {
        url.path_segments_mut()
            .map_err(|()| ModelError::Misconfigured(format!("The address `{base}` takes no path.")))?
            .pop_if_empty()
            .extend(["openai", "deployments", deployment]);
    }
    Ok(url.as_str().trim_end_matches('/').to_owned())
}

impl Config for Endpoint {
    fn headers(&self) -> HeaderMap {
        self.headers.clone()
    }

    fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }

    fn query(&self) -> Vec<(&str, &str)> {
        self.query.clone()
    }

    fn api_base(&self) -> &str {
        &self.base
    }

    /// Empty: the key is in the headers, marked as sensitive.
    fn api_key(&self) -> &SecretString {
        &self.key
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn azure_is_asked_by_deployment() {
        let key = Key::new("0123456789").unwrap();
        let base = Url::parse("https://mine.openai.azure.com/").unwrap();
        let endpoint = Endpoint::new(Provider::Azure, &base, Some(&key), "my model").unwrap();
        assert_eq!(
            endpoint.url("/chat/completions"),
            "https://mine.openai.azure.com/openai/deployments/my%20model/chat/completions"
        );
        assert!(endpoint.headers()["api-key"].is_sensitive());
        assert_eq!(endpoint.query()[0].0, "api-version");
    }

    #[test]
    fn a_missing_key_is_named() {
        let base = Url::parse("https://api.openai.com/v1").unwrap();
        let error = Endpoint::new(Provider::OpenAi, &base, None, "gpt-5")
            .err()
            .unwrap();
        assert!(error.to_string().contains("OPENAI_API_KEY"), "{error}");
        assert!(Endpoint::new(Provider::Vllm, &base, None, "m").is_ok());
    }
}
