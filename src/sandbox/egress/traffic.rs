//! The traffic of a proxy, by host.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::io::{InspectReader, InspectWriter};

use crate::domain::excerpt;
use crate::domain::format;

/// Hosts that are told apart in a record of traffic.
const TOLD: usize = 100;

/// The traffic of a proxy, by host: connections let through, or refused.
#[derive(Debug, Default)]
pub struct Traffic {
    pub passed: BTreeMap<String, Arc<HostTraffic>>,
    pub refused: BTreeMap<String, u64>,
}

/// The connections to one host, and the bytes of both ways. They grow while connections last.
#[derive(Debug, Default)]
pub struct HostTraffic {
    connections: AtomicU64,
    sent: AtomicU64,
    received: AtomicU64,
}

impl fmt::Display for HostTraffic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let connections = self.connections.load(Ordering::Relaxed);
        write!(
            f,
            "{connections} {}, {} bytes received, {} sent",
            format::plural(connections, "connection", "connections"),
            self.received.load(Ordering::Relaxed),
            self.sent.load(Ordering::Relaxed)
        )
    }
}

impl Traffic {
    /// Counts a connection that is let through; its bytes belong to what is returned.
    pub fn pass(&mut self, host: &str) -> Arc<HostTraffic> {
        let counts = match self.passed.get(host) {
            Some(counts) => Arc::clone(counts),
            None => {
                let counts = Arc::default();
                if self.passed.len() < TOLD {
                    self.passed.insert(name(host), Arc::clone(&counts));
                }
                counts
            }
        };
        counts.connections.fetch_add(1, Ordering::Relaxed);
        counts
    }

    /// Counts a request that is refused.
    pub fn refuse(&mut self, host: &str) {
        if let Some(count) = self.refused.get_mut(host) {
            *count += 1;
        } else if self.refused.len() < TOLD {
            self.refused.insert(name(host), 1);
        }
    }
}

fn name(host: &str) -> String {
    excerpt::start(host, 253).to_owned()
}

/// The same connection, with its bytes counted.
pub fn counted<S: AsyncRead + AsyncWrite + Unpin>(
    stream: S,
    counts: Arc<HostTraffic>,
) -> impl AsyncRead + AsyncWrite + Unpin {
    let received = Arc::clone(&counts);
    let add = |count: &AtomicU64, bytes: &[u8]| {
        count.fetch_add(bytes.len() as u64, Ordering::Relaxed);
    };
    let written = InspectWriter::new(stream, move |bytes: &[u8]| add(&counts.sent, bytes));
    InspectReader::new(written, move |bytes: &[u8]| add(&received.received, bytes))
}
