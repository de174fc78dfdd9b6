//! Python's index of a day, in the place of today's, for what runs in a container.

use std::collections::BTreeMap;

use jiff::Timestamp;
use reqwest::Url;

use crate::sandbox::contract::SandboxError;
use crate::sandbox::docker::settings::DockerSettings;
use crate::sandbox::egress::index_client;
use crate::sandbox::egress::index_gate::IndexGate;
use crate::sandbox::session::indexes::{PYTHON_ADDRESS, PYTHON_INDEX, PYTHON_SETTINGS};

/// The index of a day behind its gate; nothing in the container reaches today's.
#[derive(Clone)]
pub struct DatedIndex {
    pub gate: IndexGate,
}

impl DatedIndex {
    /// The index of the sandbox's day, where it has one and the index is among the hosts that are opened.
    ///
    /// # Errors
    /// An address or a proxy of the operator's that cannot be used.
    pub fn open(settings: &DockerSettings, hosts: &[String]) -> Result<Option<Self>, SandboxError> {
        let Some(until) = settings
            .index_until
            .filter(|_| hosts.iter().any(|host| is_index(host)))
        else {
            return Ok(None);
        };
        Self::of_day(&settings.operator, until).map(Some)
    }

    fn of_day(operator: &BTreeMap<String, String>, until: Timestamp) -> Result<Self, SandboxError> {
        let failed = |why: &dyn std::fmt::Display| {
            SandboxError::Failed(format!(
                "the package index of the run's day cannot be asked: {why}"
            ))
        };
        let set = index_client::first_set(operator, &PYTHON_SETTINGS);
        let address =
            Url::parse(set.unwrap_or(PYTHON_ADDRESS)).map_err(|_| failed(&"its address cannot be read"))?;
        let client = index_client::client(operator).map_err(|why| failed(&why))?;
        let gate = IndexGate::of_day(&address, until, &client);
        gate.map(|gate| Self { gate })
            .ok_or_else(|| failed(&"its address is none of http"))
    }

    /// The hosts that are opened beside it.
    pub fn beside<'a>(&self, hosts: &'a [String]) -> impl Iterator<Item = &'a String> {
        hosts.iter().filter(|host| !is_index(host))
    }

    /// What leads installers to it.
    pub fn variables(&self) -> [(&'static str, String); 3] {
        [
            ("PIP_INDEX_URL", self.gate.inside.clone()),
            ("PIP_TRUSTED_HOST", self.gate.name.clone()),
            ("UV_DEFAULT_INDEX", self.gate.inside.clone()),
        ]
    }
}

fn is_index(host: &str) -> bool {
    host.trim_end_matches('.').eq_ignore_ascii_case(PYTHON_INDEX)
}
