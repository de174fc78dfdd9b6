//! The network of a build: the package index that the operator names, and nothing else.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use reqwest::Url;
use tokio::net::UnixListener;
use tokio::runtime::{Handle, TryCurrentError};

use super::helper::relay::PORT;
use crate::addresses::resolver::System;
use crate::environment::r_archive::resolution::ADDRESS as R_ADDRESS;
use crate::sandbox::egress::allowed::Allowed;
use crate::sandbox::egress::index_client::{IndexClientError, client, upstream};
use crate::sandbox::egress::index_gate::IndexGate;
use crate::sandbox::egress::proxy::Proxy;
use crate::sandbox::egress::upstream::{UPSTREAM_SETTINGS, UpstreamError};
use crate::sandbox::session::indexes::PYTHON_ADDRESS;
use crate::sandbox::socket_folder;

/// Where the files of the index lie that pip asks where nobody names another.
const FILES: (&str, u16) = ("files.pythonhosted.org", 443);
/// Further hosts of the operator's, such as `files.example.org packages.example.org:8443`.
const FURTHER: &str = "REPRISE_INDEX_HOSTS";
/// Settings with addresses in them.
const ADDRESSES: [&str; 4] = [
    "PIP_INDEX_URL",
    "PIP_EXTRA_INDEX_URL",
    "PIP_FIND_LINKS",
    R_ADDRESS,
];

/// The operator's settings as a build sees them: without passwords.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BuildSettings {
    pub variables: BTreeMap<String, String>,
    /// The text of the operator's file of settings.
    pub own_file: Option<String>,
    /// The text of the machine's.
    pub machine_file: Option<String>,
}

/// A proxy that serves one build; it stops when dropped.
pub struct BuildNetwork {
    proxy: Proxy,
    folder: tempfile::TempDir,
}

/// The error of a build without a way to the package index.
#[derive(Debug, thiserror::Error)]
pub enum BuildNetworkError {
    #[error("{FURTHER}: `{0}` has no port that can be read")]
    Port(String),
    #[error(transparent)]
    Upstream(#[from] UpstreamError),
    #[error(transparent)]
    Client(#[from] IndexClientError),
    #[error("no folder can be made: {0}")]
    Folder(io::Error),
    #[error(transparent)]
    Runtime(#[from] TryCurrentError),
    #[error("{} cannot be made: {error}", socket.display())]
    Socket { socket: PathBuf, error: io::Error },
}

impl BuildNetwork {
    /// Opens the way to the index and hides its passwords in the settings.
    ///
    /// # Errors
    /// An address or a proxy that cannot be read, or a socket that cannot be made.
    pub fn open(
        operator: &BTreeMap<String, String>,
        settings: &mut BuildSettings,
    ) -> Result<Self, BuildNetworkError> {
        let upstream = upstream(operator)?;
        let client = client(operator)?;
        let mut found = IndexAddresses::default();
        for name in ADDRESSES {
            if let Some(value) = settings.variables.get_mut(name) {
                *value = found.hide(value, &client);
            }
        }
        for text in [&mut settings.own_file, &mut settings.machine_file]
            .into_iter()
            .flatten()
        {
            *text = found.hide(text, &client);
        }
        let names_index = settings.variables.contains_key("PIP_INDEX_URL")
            || [&settings.own_file, &settings.machine_file]
                .into_iter()
                .flatten()
                .flat_map(|text| text.lines())
                .any(|line| line.trim_start().starts_with("index-url"));
        if !settings.variables.contains_key(R_ADDRESS) {
            if !names_index {
                found.hide(PYTHON_ADDRESS, &client);
            }
            found.sites.insert((FILES.0.to_owned(), FILES.1));
        }
        for host in operator
            .get(FURTHER)
            .into_iter()
            .flat_map(|hosts| hosts.split_whitespace())
        {
            let (name, port) = host.rsplit_once(':').unwrap_or((host, "443"));
            let port = port
                .parse()
                .map_err(|_| BuildNetworkError::Port(host.to_owned()))?;
            found.sites.insert((name.to_ascii_lowercase(), port));
        }
        let trusted: Vec<&str> = found.gates.iter().map(|gate| gate.name.as_str()).collect();
        if !trusted.is_empty() {
            let own = settings
                .variables
                .get("PIP_TRUSTED_HOST")
                .map_or("", String::as_str);
            let all = format!("{own} {}", trusted.join(" "));
            settings
                .variables
                .insert("PIP_TRUSTED_HOST".to_owned(), all.trim().to_owned());
        }
        let own = format!("http://127.0.0.1:{PORT}");
        for name in UPSTREAM_SETTINGS {
            settings.variables.insert(name.to_owned(), own.clone());
        }
        for name in ["NO_PROXY", "no_proxy"] {
            settings.variables.remove(name);
        }
        let folder = socket_folder::make().map_err(BuildNetworkError::Folder)?;
        let socket = folder.path().join("proxy");
        let proxy = Proxy::new(Allowed::sites(found.sites), Arc::new(System))
            .with_upstream(upstream)
            .with_gates(found.gates);
        let serving = proxy.clone();
        let runtime = Handle::try_current()?;
        let entered = runtime.enter();
        let listener =
            UnixListener::bind(&socket).map_err(|error| BuildNetworkError::Socket { socket, error })?;
        drop(entered);
        runtime.spawn(serving.serve(listener));
        Ok(Self { proxy, folder })
    }

    /// The socket that the proxy listens on.
    pub fn socket(&self) -> PathBuf {
        self.folder.path().join("proxy")
    }

    /// Hosts that were asked for and refused.
    pub fn refused(&self) -> Vec<String> {
        self.proxy.traffic().refused.keys().cloned().collect()
    }
}

impl Drop for BuildNetwork {
    fn drop(&mut self) {
        self.proxy.stop();
    }
}

/// The hosts in a text of settings, and those of them that need a password.
#[derive(Default)]
struct IndexAddresses {
    sites: BTreeSet<(String, u16)>,
    gates: Vec<IndexGate>,
}

impl IndexAddresses {
    /// The text with each address that has a password led to a gate.
    fn hide(&mut self, text: &str, client: &reqwest::Client) -> String {
        let mut hidden = String::new();
        // Words and the white space between them, as they stand.
        for word in text.split_inclusive(char::is_whitespace) {
            let Some(at) = word.find("https://").or_else(|| word.find("http://")) else {
                hidden.push_str(word);
                continue;
            };
            let (before, rest) = word.split_at(at);
            let address = rest.trim_end();
            let Ok(url) = Url::parse(address) else {
                hidden.push_str(word);
                continue;
            };
            hidden.push_str(before);
            match IndexGate::before(&url, self.gates.len(), client) {
                Some(gate) => {
                    hidden.push_str(&gate.inside);
                    self.gates.push(gate);
                }
                None => {
                    hidden.push_str(address);
                    if let (Some(host), Some(port)) = (url.host_str(), url.port_or_known_default()) {
                        self.sites.insert((host.to_ascii_lowercase(), port));
                    }
                }
            }
            hidden.push_str(&rest[address.len()..]);
        }
        hidden
    }
}
