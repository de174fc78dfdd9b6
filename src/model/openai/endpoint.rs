//! Where a provider is, and how it wants to be asked.

use async_openai::config::Config;
use reqwest::Url;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName};
use secrecy::SecretString;

use crate::model::chat::ModelError;
use crate::model::exchange::Endpoint;
use crate::model::http::check_base;
use crate::model::key::no_key;
use crate::model::name::Provider;
use crate::model::openai::settings::OpenAiSettings;

/// The version of Azure's interface that is asked for by deployment.
const AZURE_VERSION: &str = "2024-10-21";

/// An address with its headers, made once for all calls.
#[derive(Clone)]
pub struct OpenAiEndpoint {
    base: String,
    headers: HeaderMap,
    query: Vec<(&'static str, String)>,
    key: SecretString,
}

impl OpenAiEndpoint {
    /// The endpoint of a model. For Azure the address is the resource's, to
    /// which the deployment is added, or one that ends in `/openai/v1`, which
    /// is asked as OpenAI is.
    pub fn new(settings: &OpenAiSettings) -> Result<Self, ModelError> {
        let Endpoint {
            provider, base, key, ..
        } = &settings.reach;
        check_base(base)?;
        let mut headers = HeaderMap::new();
        match (key, provider) {
            (Some(key), Provider::Azure) => {
                headers.insert(HeaderName::from_static("api-key"), key.header("", *provider)?);
            }
            (Some(key), _) => {
                headers.insert(AUTHORIZATION, key.header("Bearer ", *provider)?);
            }
            (None, _) if provider.needs_key() => return Err(no_key(*provider)),
            (None, _) => {}
        }
        let deployment = (*provider == Provider::Azure && !is_versioned(base)).then_some(&*settings.model);
        let version = settings.api_version.as_deref().unwrap_or(AZURE_VERSION);
        Ok(Self {
            base: address(base, deployment)?,
            headers,
            query: deployment
                .map(|_| ("api-version", version.to_owned()))
                .into_iter()
                .collect(),
            key: SecretString::from(""),
        })
    }

    /// Whether the model stands in the address.
    pub fn by_deployment(&self) -> bool {
        !self.query.is_empty()
    }
}

/// Whether an address of Azure's is that of its interface without versions by date.
fn is_versioned(base: &Url) -> bool {
    base.path().trim_end_matches('/').ends_with("/openai/v1")
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

impl Config for OpenAiEndpoint {
    fn headers(&self) -> HeaderMap {
        self.headers.clone()
    }

    fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }

    fn query(&self) -> Vec<(&str, &str)> {
        self.query
            .iter()
            .map(|(name, value)| (*name, value.as_str()))
            .collect()
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
    use crate::domain::sampling::Sampling;
    use crate::model::http::Budget;
    use crate::model::key::Key;

    fn settings(provider: Provider, base: &str, key: Option<&str>) -> OpenAiSettings {
        OpenAiSettings {
            name: "n".into(),
            reach: Endpoint {
                provider,
                base: base.parse().unwrap(),
                key: key.map(|key| Key::new(key).unwrap()),
                budget: Budget::default(),
            },
            api_version: None,
            model: "my model".into(),
            sampling: Sampling::default(),
            calls_tools: true,
            keeps_forms: false,
            gives_thoughts: false,
        }
    }

    #[test]
    fn azure_is_asked_by_deployment_or_as_openai_is() {
        let mut azure = settings(
            Provider::Azure,
            "https://mine.openai.azure.com/",
            Some("0123456789"),
        );
        let endpoint = OpenAiEndpoint::new(&azure).unwrap();
        assert_eq!(
            endpoint.url("/chat/completions"),
            "https://mine.openai.azure.com/openai/deployments/my%20model/chat/completions"
        );
        assert!(endpoint.headers()["api-key"].is_sensitive());
        assert_eq!(endpoint.query(), [("api-version", "2024-10-21")]);
        azure.api_version = Some("2025-04-01-preview".into());
        assert_eq!(
            OpenAiEndpoint::new(&azure).unwrap().query(),
            [("api-version", "2025-04-01-preview")]
        );
        azure.reach.base = "https://mine.openai.azure.com/openai/v1/".parse().unwrap();
        let plain = OpenAiEndpoint::new(&azure).unwrap();
        assert_eq!(
            plain.url("/responses"),
            "https://mine.openai.azure.com/openai/v1/responses"
        );
        assert!(plain.query().is_empty());
    }

    #[test]
    fn a_missing_key_is_named() {
        let at = "https://api.openai.com/v1";
        let error = OpenAiEndpoint::new(&settings(Provider::OpenAi, at, None))
            .err()
            .unwrap();
        assert!(error.to_string().contains("OPENAI_API_KEY"), "{error}");
        assert!(OpenAiEndpoint::new(&settings(Provider::Vllm, at, None)).is_ok());
    }
}
