//! The guard over the addresses that a connection may go to.
//!
//! A name is looked up once for each request, every address it has is checked,
//! and the connection is made to the checked addresses: the HTTP client has no
//! resolver of its own, so a name that changes its mind in between changes nothing.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};

use ipnet::IpNet;
use reqwest::Url;
use reqwest::dns::{Addrs, Name, Resolve as HttpResolve, Resolving};

use crate::addresses::private::is_private;
use crate::addresses::resolver::Resolve;

/// The refusal of an address that is not asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AddressRefusal {
    #[error("the scheme `{0}` is not for pages: only http and https are")]
    Scheme(String),
    #[error("the address holds a user name or a password")]
    Credentials,
    #[error("port {0} is closed: only 80 and 443 are open")]
    Port(u16),
    #[error("`{0}` is not on the public web: only public pages can be fetched")]
    Private(String),
    #[error("`{0}` leads to an address that is not on the public web")]
    LeadsInside(String),
    #[error("the host `{0}` cannot be found: {1}")]
    Unknown(String, String),
    /// The name system did not answer, as on a machine without a network.
    #[error("the host `{0}` cannot be found: {1}")]
    NotLookedUp(String, String),
}

/// The guard of connections: opened networks, and addresses that stand checked.
#[derive(Clone)]
pub struct Guard {
    opened: Arc<Vec<IpNet>>,
    lookup: Arc<dyn Resolve>,
    /// A proxy of the operator's, which finds hosts itself.
    proxy: Option<String>,
    checked: Arc<Mutex<HashMap<String, Vec<IpAddr>>>>,
}

impl Guard {
    /// A guard that admits public addresses, and those that the operator opened.
    pub fn new(opened: Vec<IpNet>, lookup: Arc<dyn Resolve>) -> Self {
        Self {
            opened: Arc::new(opened),
            lookup,
            proxy: None,
            checked: Arc::default(),
        }
    }

    /// Hosts are found by a proxy: what is not public by its name stays out.
    pub fn behind(mut self, proxy: &Url) -> Self {
        self.proxy = proxy.host_str().map(str::to_owned);
        self
    }

    /// Whether the operator opened anything that is not public.
    pub fn opens_anything(&self) -> bool {
        !self.opened.is_empty()
    }

    /// Whether the operator opened this very address.
    pub fn opened(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.opened.iter().any(|net| net.contains(&address))
    }

    /// Checks what the address itself tells, then every address of its host.
    /// The connection that follows goes to these and no other.
    ///
    /// # Errors
    /// A scheme, port or user that is not allowed, a host that is not found, or one whose addresses are
    /// private.
    pub async fn check(&self, url: &Url) -> Result<(), AddressRefusal> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(AddressRefusal::Scheme(url.scheme().to_owned()));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(AddressRefusal::Credentials);
        }
        let host = url.host_str().unwrap_or_default();
        let port = url.port_or_known_default().unwrap_or_default();
        let web_port = matches!(port, 80 | 443);
        let literal = bare(host).parse::<IpAddr>().ok();
        let addresses = match literal {
            Some(address) => vec![address],
            None if host.is_empty() => return Err(AddressRefusal::Private(host.to_owned())),
            None if self.proxy.is_some() => {
                return if web_port {
                    Ok(())
                } else {
                    Err(AddressRefusal::Port(port))
                };
            }
            None => self.find(host, port).await?,
        };
        for address in &addresses {
            if self.opened(*address) {
                continue;
            }
            if is_private(*address) {
                return Err(match literal {
                    Some(_) => AddressRefusal::Private(host.to_owned()),
                    None => AddressRefusal::LeadsInside(host.to_owned()),
                });
            }
            if !web_port {
                return Err(AddressRefusal::Port(port));
            }
        }
        self.lock().insert(host.to_ascii_lowercase(), addresses);
        Ok(())
    }

    async fn find(&self, host: &str, port: u16) -> Result<Vec<IpAddr>, AddressRefusal> {
        let unknown = |why: String| AddressRefusal::Unknown(host.to_owned(), why);
        let found = self.lookup.addresses(host, port).await;
        let addresses: Vec<IpAddr> = found
            .map_err(|error| match error.to_string() {
                // The standard library has no kind of error for the C library's EAI_AGAIN.
                why if why.contains("Temporary failure in name resolution") => {
                    AddressRefusal::NotLookedUp(host.to_owned(), why)
                }
                why => unknown(why),
            })?
            .into_iter()
            .map(|address| address.ip())
            .collect();
        if addresses.is_empty() {
            return Err(unknown("it has no address".to_owned()));
        }
        Ok(addresses)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, Vec<IpAddr>>> {
        self.checked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The client's resolver: what was checked, and nothing else.
impl HttpResolve for Guard {
    fn resolve(&self, name: Name) -> Resolving {
        let host = name.as_str().to_ascii_lowercase();
        let checked = self.lock().get(&host).cloned();
        let (lookup, is_proxy) = (self.lookup.clone(), self.proxy.as_deref() == Some(host.as_str()));
        Box::pin(async move {
            let addresses: Vec<SocketAddr> = match checked {
                // Port 0 stands for that of the address that is asked.
                Some(addresses) => addresses
                    .into_iter()
                    .map(|address| SocketAddr::new(address, 0))
                    .collect(),
                None if is_proxy => lookup
                    .addresses(&host, 0)
                    .await?
                    .into_iter()
                    .map(|address| SocketAddr::new(address.ip(), 0))
                    .collect(),
                None => return Err(format!("{host} was not checked").into()),
            };
            Ok(Box::new(addresses.into_iter()) as Addrs)
        })
    }
}

/// A host without the brackets of an IPv6 address.
pub fn bare(host: &str) -> &str {
    host.trim_start_matches('[').trim_end_matches(']')
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use async_trait::async_trait;

    use super::*;

    struct Scripted(Mutex<VecDeque<Vec<IpAddr>>>);

    #[async_trait]
    impl Resolve for Scripted {
        async fn addresses(&self, _: &str, port: u16) -> std::io::Result<Vec<SocketAddr>> {
            let next = self.0.lock().unwrap().pop_front().unwrap_or_default();
            Ok(next
                .into_iter()
                .map(|address| SocketAddr::new(address, port))
                .collect())
        }
    }

    fn guard(opened: &[&str], answers: &[&[&str]]) -> Guard {
        let answers = answers
            .iter()
            .map(|one| one.iter().map(|text| text.parse().unwrap()).collect())
            .collect();
        let opened = opened.iter().map(|net| net.parse().unwrap()).collect();
        Guard::new(opened, Arc::new(Scripted(Mutex::new(answers))))
    }

    async fn asked(guard: &Guard, url: &str) -> Result<(), AddressRefusal> {
        guard.check(&Url::parse(url).unwrap()).await
    }

    #[tokio::test]
    async fn addresses_off_the_public_web_are_refused_in_every_spelling() {
        for host in [
            "127.0.0.1",
            "127.1",
            "2130706433",
            "0x7f.1",
            "0177.0.0.1",
            "10.0.0.1",
            "172.16.0.1",
            "192.168.0.1",
            "169.254.169.254",
            "100.64.0.1",
            "100.100.100.200",
            "0.0.0.0",
            "192.0.0.192",
            "198.18.0.1",
            "192.88.99.1",
            "224.0.0.1",
            "240.0.0.1",
            "255.255.255.255",
            "[::]",
            "[::1]",
            "[::ffff:127.0.0.1]",
            "[::ffff:a9fe:a9fe]",
            "[::127.0.0.1]",
            "[64:ff9b::7f00:1]",
            "[64:ff9b:1::1]",
            "[2002:7f00:1::]",
            "[2001:0:4136:e378:8000:63bf:3fff:fdd2]",
            "[2001:db8::1]",
            "[3fff::1]",
            "[5f00::1]",
            "[100::1]",
            "[fd00:ec2::254]",
            "[fe80::1]",
            "[fec0::1]",
            "[ff02::1]",
        ] {
            let refused = asked(&guard(&[], &[]), &format!("http://{host}/")).await;
            assert!(
                matches!(refused, Err(AddressRefusal::Private(_))),
                "{host}: {refused:?}"
            );
        }
        for host in ["8.8.8.8", "[2606:4700::1111]", "[64:ff9b::808:808]"] {
            assert_eq!(asked(&guard(&[], &[]), &format!("https://{host}/")).await, Ok(()));
        }
    }

    #[tokio::test]
    async fn one_private_address_of_a_name_refuses_all() {
        let mixed = guard(&[], &[&["8.8.8.8", "10.0.0.1"]]);
        assert_eq!(
            asked(&mixed, "http://example.org/").await,
            Err(AddressRefusal::LeadsInside("example.org".to_owned()))
        );
        assert!(
            mixed
                .resolve("example.org".parse().unwrap())
                .await
                .is_err_and(|error| error.to_string().contains("not checked"))
        );
    }

    #[tokio::test]
    async fn the_connection_goes_to_what_was_checked() {
        let rebinding = guard(&[], &[&["8.8.8.8"], &["127.0.0.1"]]);
        asked(&rebinding, "http://example.org/").await.unwrap();
        let connected: Vec<_> = rebinding
            .resolve("EXAMPLE.org".parse().unwrap())
            .await
            .unwrap()
            .collect();
        assert_eq!(connected, ["8.8.8.8:0".parse::<SocketAddr>().unwrap()]);
        assert!(asked(&rebinding, "http://example.org/").await.is_err());
    }

    #[tokio::test]
    async fn schemes_ports_and_credentials_are_limited() {
        let open = || guard(&["127.0.0.0/8"], &[&["8.8.8.8"], &["8.8.8.8"]]);
        for (url, refusal) in [
            ("ftp://example.org/", AddressRefusal::Scheme("ftp".into())),
            ("file:///etc/passwd", AddressRefusal::Scheme("file".into())),
            ("https://u:p@example.org/", AddressRefusal::Credentials),
            ("http://example.org:22/", AddressRefusal::Port(22)),
            ("http://8.8.8.8:8080/", AddressRefusal::Port(8080)),
        ] {
            assert_eq!(asked(&open(), url).await, Err(refusal), "{url}");
        }
        assert_eq!(asked(&open(), "http://127.0.0.1:8080/").await, Ok(()));
        assert!(asked(&open(), "http://10.0.0.1/").await.is_err());
        assert!(matches!(
            asked(&guard(&[], &[&[]]), "http://gone.example/").await,
            Err(AddressRefusal::Unknown(..))
        ));
    }

    /// A name system that fails with these words.
    struct Fails(&'static str);

    #[async_trait]
    impl Resolve for Fails {
        async fn addresses(&self, _: &str, _: u16) -> std::io::Result<Vec<SocketAddr>> {
            Err(std::io::Error::other(self.0))
        }
    }

    #[tokio::test]
    async fn an_unknown_host_is_told_from_a_name_system_that_does_not_answer() {
        let failure = async |words| {
            let guard = Guard::new(Vec::new(), Arc::new(Fails(words)));
            asked(&guard, "http://gone.example/").await.unwrap_err()
        };
        let unknown = failure("failed to lookup address information: Name or service not known").await;
        assert!(matches!(unknown, AddressRefusal::Unknown(..)), "{unknown}");
        let silent =
            failure("failed to lookup address information: Temporary failure in name resolution").await;
        assert!(matches!(silent, AddressRefusal::NotLookedUp(..)), "{silent}");
    }
}
