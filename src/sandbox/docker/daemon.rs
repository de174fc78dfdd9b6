//! The connection to a Docker-compatible daemon.

use std::collections::BTreeMap;

use bollard::{API_DEFAULT_VERSION, Docker};

/// A daemon that answered.
#[derive(Debug, Clone)]
pub struct Daemon {
    pub client: Docker,
}

/// Why no daemon can be used, in words for the operator.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{0}")]
pub struct NoDaemon(pub String);

/// Seconds for a request that is no stream.
const PATIENCE: u64 = 120;

impl Daemon {
    /// Connects to `DOCKER_HOST`, or to the socket at its usual place, and asks for an answer.
    pub async fn connect(operator: &BTreeMap<String, String>) -> Result<Self, NoDaemon> {
        let host = operator.get("DOCKER_HOST").filter(|host| !host.is_empty());
        let connected = match host.map(String::as_str) {
            Some(host) if host.starts_with("unix://") => {
                Docker::connect_with_unix(host, PATIENCE, API_DEFAULT_VERSION)
            }
            Some(host) if host.starts_with("tcp://") || host.starts_with("http://") => {
                Docker::connect_with_http(host, PATIENCE, API_DEFAULT_VERSION)
            }
            Some(host) => {
                return Err(NoDaemon(format!(
                    "DOCKER_HOST={host} is not an address that can be used: write unix://PATH or tcp://HOST:PORT."
                )));
            }
            None => Docker::connect_with_unix("/var/run/docker.sock", PATIENCE, API_DEFAULT_VERSION),
        };
        let client =
            connected.map_err(|error| NoDaemon(format!("No Docker daemon can be reached: {error}.")))?;
        client
            .ping()
            .await
            .map_err(|error| NoDaemon(format!("No Docker daemon answers: {error}.")))?;
        Ok(Self { client })
    }
}
