//! The addresses that the name system gives for a host.

use std::net::SocketAddr;

use async_trait::async_trait;

use super::private::is_private;

/// Finds the addresses of a host.
#[async_trait]
pub trait Resolve: Send + Sync {
    async fn addresses(&self, host: &str, port: u16) -> std::io::Result<Vec<SocketAddr>>;
}

/// The system's resolver, with whatever it finds.
pub struct System;

#[async_trait]
impl Resolve for System {
    async fn addresses(&self, host: &str, port: u16) -> std::io::Result<Vec<SocketAddr>> {
        Ok(tokio::net::lookup_host((host, port)).await?.collect())
    }
}

/// The system's resolver, without the addresses of this machine and the networks
/// around it: a public name may point to one.
pub struct Public;

#[async_trait]
impl Resolve for Public {
    async fn addresses(&self, host: &str, port: u16) -> std::io::Result<Vec<SocketAddr>> {
        let found = System.addresses(host, port).await?;
        Ok(found
            .into_iter()
            .filter(|address| !is_private(address.ip()))
            .collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_name_for_this_machine_leads_nowhere() {
        assert!(Public.addresses("localhost", 80).await.unwrap().is_empty());
    }
}
