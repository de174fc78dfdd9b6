//! A network namespace with a proxy in it, for one execution.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Display;
use std::path::Path;
use std::sync::Arc;

use bollard::models::{ContainerCreateBody, HostConfig, HostConfigLogConfig};
use bollard::query_parameters::{InspectContainerOptions, StartContainerOptions};

use super::dated_index::DatedIndex;
use super::gateway::Gateway;
use super::inside::{PORT, listen};
use crate::addresses::resolver::Resolve;
use crate::domain::ids::RunId;
use crate::sandbox::contract::{GATEWAY_PORT, SandboxError};
use crate::sandbox::docker::container::ephemeral::EphemeralContainer;
use crate::sandbox::docker::container::hardening::{ConfinedBody, ContainerBounds, NOBODY};
use crate::sandbox::docker::daemon::Daemon;
use crate::sandbox::docker::labels;
use crate::sandbox::egress::allowed::Allowed;
use crate::sandbox::egress::proxy::Proxy;

/// Seconds that the holder lives if nobody removes it.
const LIFE: &str = "604800";

/// The ways out of a container.
#[derive(Clone)]
pub struct EgressWays<'a> {
    pub hosts: &'a [String],
    /// Finds the addresses of hosts.
    pub resolve: Arc<dyn Resolve>,
    /// The socket that the port of a gateway leads to.
    pub gateway: Option<&'a Path>,
    /// Python's index of a day, in the place of today's.
    pub index: Option<DatedIndex>,
}

/// A holder container without any network but its loopback, and what listens on it.
/// The executing container joins the holder's network namespace.
pub struct EgressProxy {
    holder: EphemeralContainer,
    /// `None` where no host is opened.
    proxy: Option<Serving>,
    /// What leads installers to the index of a day.
    index: BTreeMap<String, String>,
    _gateway: Option<Gateway>,
}

impl EgressProxy {
    /// Opens the ways to a container of the run that is yet to be made from `image`.
    ///
    /// # Errors
    /// A proxy container that cannot be made or does not start.
    pub async fn make(
        daemon: &Daemon,
        run: &RunId,
        workspace: &Path,
        image: &str,
        ways: EgressWays<'_>,
    ) -> Result<Self, SandboxError> {
        let failed = |what: &str, error: &dyn std::fmt::Display| not_made(what, error);
        let holder = EphemeralContainer::create(
            daemon,
            Some(labels::container_name(run)),
            body(run, workspace, image),
        )
        .await
        .map_err(|error| failed("its container", &error))?;
        daemon
            .client
            .start_container(holder.id(), None::<StartContainerOptions>)
            .await
            .map_err(|error| failed("its container", &error))?;
        Self::serve(daemon, holder, ways).await
    }

    /// Opens the ways again to a container that outlived its engine, by the holder of its network.
    ///
    /// # Errors
    /// A holder that is gone, or whose network cannot be entered.
    pub async fn take_up(
        daemon: &Daemon,
        holder: String,
        ways: EgressWays<'_>,
    ) -> Result<Self, SandboxError> {
        Self::serve(daemon, EphemeralContainer::of(daemon, holder), ways).await
    }

    /// A proxy inside the network of a holder that runs.
    async fn serve(
        daemon: &Daemon,
        holder: EphemeralContainer,
        ways: EgressWays<'_>,
    ) -> Result<Self, SandboxError> {
        let failed = |what: &str, error: &dyn std::fmt::Display| not_made(what, error);
        let found = daemon
            .client
            .inspect_container(holder.id(), None::<InspectContainerOptions>)
            .await
            .map_err(|error| failed("its container", &error))?;
        let process = found
            .state
            .and_then(|state| state.pid)
            .filter(|process| *process > 0)
            .ok_or_else(|| failed("its container", &"it ended at once"))?;
        let listening = |port| {
            let listener = listen(process, port).map_err(|error| failed("its proxy", &error))?;
            tokio::net::TcpListener::from_std(listener).map_err(|error| failed("its proxy", &error))
        };
        let variables = ways.index.iter().flat_map(DatedIndex::variables);
        let variables = variables.map(|(name, value)| (name.to_owned(), value)).collect();
        let proxy = match ways.hosts {
            [] => None,
            hosts => {
                let proxy = match ways.index {
                    None => Proxy::new(Allowed::new(hosts), ways.resolve),
                    Some(index) => {
                        let hosts: Vec<String> = index.beside(hosts).cloned().collect();
                        Proxy::new(Allowed::new(&hosts), ways.resolve).with_gates(vec![index.gate])
                    }
                };
                tokio::spawn(proxy.clone().serve(listening(PORT)?));
                Some(Serving(proxy))
            }
        };
        let gateway = match ways.gateway {
            Some(socket) => Some(Gateway::new(listening(GATEWAY_PORT)?, socket.to_owned())),
            None => None,
        };
        Ok(Self {
            holder,
            proxy,
            index: variables,
            _gateway: gateway,
        })
    }

    /// The network that the executing container takes part in.
    pub fn network_mode(&self) -> String {
        format!("container:{}", self.holder.id())
    }

    /// What tells programs of the proxy.
    pub fn variables(&self) -> BTreeMap<String, String> {
        if self.proxy.is_none() {
            return BTreeMap::new();
        }
        let address = format!("http://127.0.0.1:{PORT}");
        let proxies = ["http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"];
        let proxies = proxies.map(|name| (name.to_owned(), address.clone()));
        proxies.into_iter().chain(self.index.clone()).collect()
    }

    /// Closes the way and says what went through, in words for the report.
    pub async fn close(self) -> Vec<String> {
        if let Some(proxy) = &self.proxy {
            proxy.0.stop();
        }
        let mut notes = self.notes();
        if let Err(why) = self.holder.remove().await {
            // It holds nothing but a network without a way out; the next sweep removes it.
            notes.push(format!(
                "A container that held the network is still there: {why}."
            ));
        }
        notes
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        let Some(proxy) = &self.proxy else {
            return notes;
        };
        let traffic = proxy.0.traffic();
        notes.push(if traffic.passed.is_empty() {
            "Hosts were opened, and none was reached.".to_owned()
        } else {
            format!("Hosts reached: {}.", list(&traffic.passed))
        });
        if !traffic.refused.is_empty() {
            notes.push(format!(
                "Hosts asked for and refused: {}.",
                list(&traffic.refused)
            ));
        }
        notes
    }
}

/// Each host with what is counted of it.
fn list<T: Display>(counts: &BTreeMap<String, T>) -> String {
    let each = counts
        .iter()
        .map(|(host, count)| format!("{} ({count})", host.escape_debug()));
    each.collect::<Vec<_>>().join("; ")
}

fn not_made(what: &str, error: &dyn std::fmt::Display) -> SandboxError {
    SandboxError::Failed(format!(
        "the way out of the container cannot be made: {what}: {error}"
    ))
}

/// The holder of the network namespace.
fn body(run: &RunId, workspace: &Path, image: &str) -> ConfinedBody {
    let given = ContainerCreateBody {
        image: Some(image.to_owned()),
        entrypoint: Some(vec!["sleep".to_owned()]),
        cmd: Some(vec![LIFE.to_owned()]),
        labels: Some(labels::for_container(run, workspace)),
        host_config: Some(HostConfig {
            init: Some(true),
            log_config: Some(HostConfigLogConfig {
                typ: Some("none".to_owned()),
                config: Some(HashMap::new()),
            }),
            ..HostConfig::default()
        }),
        ..ContainerCreateBody::default()
    };
    let bounds = ContainerBounds {
        memory: Some(64 << 20),
        processes: Some(16),
    };
    ConfinedBody::new(given, NOBODY, bounds)
}

/// A proxy that serves; it stops when dropped.
struct Serving(Proxy);

impl Drop for Serving {
    fn drop(&mut self) {
        self.0.stop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sandbox::docker::container::hardening::tests::assert_hardened;

    #[test]
    fn the_holder_of_the_network_is_hardened() {
        let run = RunId::new("r-1");
        assert_hardened(body(&run, Path::new("/runs/r-1"), "image"));
    }
}
