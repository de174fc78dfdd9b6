//! The destinations that a proxied request may go to.

use std::collections::BTreeSet;

/// The refusal of a request that may not leave.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RequestRefusal {
    #[error("port {0} is closed: only http and https are open")]
    Port(u16),
    #[error("{0} was not approved for this execution")]
    Host(String),
    #[error("{host} at port {port} is no package index of the operator's: name it in REPRISE_INDEX_HOSTS")]
    Site { host: String, port: u16 },
}

/// The destinations that a request may go to.
#[derive(Debug, Clone)]
pub enum Allowed {
    /// Hosts that were approved, at the web's ports.
    Hosts(BTreeSet<String>),
    /// Hosts of the operator's own settings, each at its port.
    Sites(BTreeSet<(String, u16)>),
}

impl Allowed {
    pub fn new(hosts: &[String]) -> Self {
        Self::Hosts(hosts.iter().map(|host| canonical(host)).collect())
    }

    pub fn sites(sites: BTreeSet<(String, u16)>) -> Self {
        Self::Sites(
            sites
                .into_iter()
                .map(|(host, port)| (canonical(&host), port))
                .collect(),
        )
    }

    /// Whether a request to `host` at `port` may leave; the error says why not.
    ///
    /// # Errors
    /// A port that is not the web's, or a host that was not approved.
    pub fn check(&self, host: &str, port: u16) -> Result<(), RequestRefusal> {
        let host = canonical(host);
        let hosts = match self {
            Self::Hosts(hosts) => hosts,
            Self::Sites(sites) if sites.contains(&(host.clone(), port)) => return Ok(()),
            Self::Sites(_) => {
                return Err(RequestRefusal::Site { host, port });
            }
        };
        if !matches!(port, 80 | 443) {
            Err(RequestRefusal::Port(port))
        } else if hosts.contains(&host) {
            Ok(())
        } else {
            Err(RequestRefusal::Host(host))
        }
    }
}

fn canonical(host: &str) -> String {
    host.trim_end_matches('.').to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_approved_host_and_the_web_ports() {
        let allowed = Allowed::new(&["Data.Example.org".to_owned()]);
        assert_eq!(allowed.check("data.example.org", 443), Ok(()));
        assert_eq!(allowed.check("DATA.example.org.", 80), Ok(()));
        for (host, port) in [
            ("data.example.org", 22),
            ("example.org", 443),
            ("evil.data.example.org", 443),
            ("data.example.org.evil.org", 443),
            ("169.254.169.254", 80),
            ("", 80),
        ] {
            assert!(allowed.check(host, port).is_err(), "{host}:{port}");
        }
    }

    #[test]
    fn an_index_is_reached_at_its_own_port_alone() {
        let allowed = Allowed::sites([("Index.example".to_owned(), 3141)].into());
        assert_eq!(allowed.check("index.example", 3141), Ok(()));
        for (host, port) in [
            ("index.example", 443),
            ("127.0.0.1", 3141),
            ("169.254.169.254", 80),
        ] {
            assert!(allowed.check(host, port).is_err(), "{host}:{port}");
        }
    }
}
