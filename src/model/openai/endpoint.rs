//! Where a provider is, and how it wants to be asked.

use reqwest::Url;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName};

use crate::model::chat::ModelError;
use crate::model::endpoint::Endpoint;
use crate::model::http::{appended, check_base};
use crate::model::key::no_key;
use crate::model::name::Provider;
use crate::model::openai::settings::OpenAiSettings;

/// The version of Azure's interface that is asked for by deployment.
const AZURE_VERSION: &str = "2024-10-21";

/// An address with its headers, made once for all calls.
#[derive(Clone)]
pub struct OpenAiEndpoint {
    base: String,
    /// With the key, marked as sensitive.
    pub headers: HeaderMap,
    query: Vec<(&'static str, String)>,
}

impl OpenAiEndpoint {
    /// The endpoint of a model. For Azure the address is the resource's, to
    /// which the deployment is added, or one that ends in `/openai/v1`, which
    /// is asked as OpenAI is.
    ///
    /// # Errors
    /// A key that is needed and absent or that no header can hold, or an address that cannot be asked.
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
        })
    }

    /// Where a path of the interface is.
    ///
    /// # Errors
    /// An address that is none with the path behind it.
    pub fn address(&self, path: &str) -> Result<Url, ModelError> {
        let mut url = appended(&self.base, path)?;
        for (name, value) in &self.query {
            url.query_pairs_mut().append_pair(name, value);
        }
        Ok(url)
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
            endpoint.address("/chat/completions").unwrap().as_str(),
            "https://mine.openai.azure.com/openai/deployments/my%20model/chat/completions?api-version=2024-10-21"
        );
        assert!(endpoint.headers["api-key"].is_sensitive());
        azure.api_version = Some("2025-04-01-preview".into());
        let dated = OpenAiEndpoint::new(&azure).unwrap().address("/p").unwrap();
        assert_eq!(dated.query(), Some("api-version=2025-04-01-preview"));
        azure.reach.base = "https://mine.openai.azure.com/openai/v1/".parse().unwrap();
        let plain = OpenAiEndpoint::new(&azure).unwrap();
        assert_eq!(
            plain.address("/responses").unwrap().as_str(),
            "https://mine.openai.azure.com/openai/v1/responses"
        );
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
