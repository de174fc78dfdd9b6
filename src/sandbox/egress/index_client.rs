//! A client of package indexes with the operator's proxy and certificates.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use reqwest::NoProxy;

use super::upstream::{UPSTREAM_SETTINGS, Upstream, UpstreamError};

/// Settings with a file of certificates.
const BUNDLES: [&str; 3] = ["PIP_CERT", "REQUESTS_CA_BUNDLE", "SSL_CERT_FILE"];

/// The error of settings by which no index can be asked.
#[derive(Debug, thiserror::Error)]
pub enum IndexClientError {
    #[error(transparent)]
    Upstream(#[from] UpstreamError),
    /// A file of certificates that cannot be opened.
    #[error("{path}: {error}")]
    Bundle { path: String, error: io::Error },
    /// A file of certificates with something else in it.
    #[error("{path}: {error}")]
    Certificates { path: String, error: reqwest::Error },
    #[error(transparent)]
    Client(reqwest::Error),
}

/// The address of the operator's own proxy, and the hosts that are reached without it.
struct UpstreamSetting<'a> {
    address: &'a str,
    no_proxy: &'a str,
}

impl<'a> UpstreamSetting<'a> {
    fn find(operator: &'a BTreeMap<String, String>) -> Option<Self> {
        Some(Self {
            address: first_set(operator, &UPSTREAM_SETTINGS)?,
            no_proxy: first_set(operator, &["NO_PROXY", "no_proxy"]).unwrap_or_default(),
        })
    }
}

/// The first of some settings that is not empty.
pub fn first_set<'a>(operator: &'a BTreeMap<String, String>, names: &[&str]) -> Option<&'a str> {
    let mut values = names
        .iter()
        .filter_map(|name| operator.get(*name).map(|value| value.trim()));
    values.find(|value| !value.is_empty())
}

/// The operator's own proxy.
///
/// # Errors
/// An address that is none, or of a kind that is not spoken.
pub fn upstream(operator: &BTreeMap<String, String>) -> Result<Option<Upstream>, UpstreamError> {
    UpstreamSetting::find(operator)
        .map(|found| Upstream::parse(found.address, found.no_proxy))
        .transpose()
}

/// The file with the certificates that the operator trusts.
pub fn bundle(operator: &BTreeMap<String, String>) -> Option<&str> {
    let mut set = BUNDLES.iter().filter_map(|name| operator.get(*name));
    set.find(|value| Path::new(value).is_file()).map(String::as_str)
}

/// What asks an index with a password, through the operator's proxy and by the certificates that
/// the operator trusts.
///
/// # Errors
/// A proxy or a file of certificates that cannot be used.
pub fn client(operator: &BTreeMap<String, String>) -> Result<reqwest::Client, IndexClientError> {
    let _ = rustls::crypto::ring::default_provider().install_default();
    // The settings are pip's as well, which the client would not look for by itself.
    let mut builder = reqwest::Client::builder().user_agent("reprise").no_proxy();
    if let Some(found) = UpstreamSetting::find(operator) {
        let proxy = reqwest::Proxy::all(found.address).map_err(|_| UpstreamError::Address)?;
        builder = builder.proxy(proxy.no_proxy(NoProxy::from_string(found.no_proxy)));
    }
    if let Some(bundle) = bundle(operator) {
        let path = || bundle.to_owned();
        let text = fs::read(bundle).map_err(|error| IndexClientError::Bundle { path: path(), error })?;
        let found = reqwest::Certificate::from_pem_bundle(&text)
            .map_err(|error| IndexClientError::Certificates { path: path(), error })?;
        for certificate in found {
            builder = builder.add_root_certificate(certificate);
        }
    }
    builder.build().map_err(IndexClientError::Client)
}
