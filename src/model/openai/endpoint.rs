//! The endpoint of chat completions and responses.

use reqwest::Url;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName};

use crate::model::chat::ModelError;
use crate::model::endpoint::Endpoint;
use crate::model::http::{appended, check_base};
use crate::model::key::no_key;

/// An address with its headers, made once for all calls.
#[derive(Debug, Clone)]
pub struct OpenAiEndpoint {
    base: String,
    /// With the key, marked as sensitive.
    pub headers: HeaderMap,
    query: Vec<(&'static str, String)>,
}

impl OpenAiEndpoint {
    /// An endpoint at the provider's address that takes the key as a bearer token.
    ///
    /// # Errors
    /// A key that is needed and absent or that no header can hold, or an address that cannot be asked.
    pub fn with_bearer(endpoint: &Endpoint) -> Result<Self, ModelError> {
        Self::new(endpoint, &endpoint.base, &AUTHORIZATION, "Bearer ")
    }

    /// An endpoint at `base` that takes the key in `header`, behind the word `scheme`.
    ///
    /// # Errors
    /// A key that is needed and absent or that no header can hold, or an address that cannot be asked.
    pub fn new(
        endpoint: &Endpoint,
        base: &Url,
        header: &HeaderName,
        scheme: &str,
    ) -> Result<Self, ModelError> {
        check_base(base)?;
        let mut headers = HeaderMap::new();
        match &endpoint.key {
            Some(key) => {
                headers.insert(header.clone(), key.header(scheme, endpoint.provider)?);
            }
            None if endpoint.provider.needs_key => return Err(no_key(endpoint.provider)),
            None => {}
        }
        let mut base = base.clone();
        base.set_query(None);
        base.set_fragment(None);
        Ok(Self {
            base: base.as_str().trim_end_matches('/').to_owned(),
            headers,
            query: Vec::new(),
        })
    }

    /// The same endpoint with something behind the `?` of every address.
    pub fn with_query(mut self, name: &'static str, value: &str) -> Self {
        self.query.push((name, value.to_owned()));
        self
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
}
