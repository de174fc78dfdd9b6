//! Where a proxied request may go.

use std::collections::BTreeSet;

/// Why a request may not leave.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RequestRefusal {
    #[error("port {0} is closed: only http and https are open")]
    Port(u16),
    #[error("{0} was not approved for this execution")]
    Host(String),
}

/// The hosts that were approved.
#[derive(Debug, Clone)]
pub struct Allowed(BTreeSet<String>);

impl Allowed {
    pub fn new(hosts: &[String]) -> Self {
        Self(hosts.iter().map(|host| canonical(host)).collect())
    }

    /// Whether a request to `host` at `port` may leave; the error says why not.
    ///
    /// # Errors
    /// A port that is not the web's, or a host that was not approved.
    pub fn check(&self, host: &str, port: u16) -> Result<(), RequestRefusal> {
        let host = canonical(host);
        if !matches!(port, 80 | 443) {
            Err(RequestRefusal::Port(port))
        } else if self.0.contains(&host) {
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
}
