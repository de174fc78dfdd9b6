//! One request to one host, with every bound on it.

use std::io::Read as _;
use std::sync::Arc;
use std::time::Duration;

use flate2::read::MultiGzDecoder;
use reqwest::header::{ACCEPT, ACCEPT_ENCODING, CONTENT_ENCODING, HeaderMap};
use reqwest::redirect::Policy;
use reqwest::{Method, Proxy, Response, Url};

use super::guard::{AddressRefusal, Guard};
use super::rate_limit::Pace;
use crate::domain::clock::Clock;
use crate::domain::excerpt;
use crate::model::http::{chain, is_distrust, retry_after};

/// What is asked for, and understood.
const WANTED: &str =
    "text/html,application/xhtml+xml,application/pdf,application/json;q=0.9,text/plain;q=0.8,*/*;q=0.5";

/// Bounds of every request.
#[derive(Debug, Clone, Copy)]
pub struct RequestBounds {
    /// Everything for one page, redirects, pauses and repetitions included.
    pub total: Duration,
    /// The longest that a connection may take to stand.
    pub connect: Duration,
    /// Most bytes that travel, and most that they unpack to.
    pub bytes: usize,
    pub unpacked: usize,
    /// How often a request is made before its failure is told.
    pub attempts: u32,
    /// The longest pause that a server may ask for.
    pub longest_pause: Duration,
    /// The least time between two requests to one host.
    pub apart: Duration,
}

impl Default for RequestBounds {
    fn default() -> Self {
        Self {
            total: Duration::from_secs(90),
            connect: Duration::from_secs(15),
            bytes: 16 << 20,
            unpacked: 32 << 20,
            attempts: 3,
            longest_pause: Duration::from_secs(20),
            apart: Duration::from_secs(1),
        }
    }
}

/// An answer, whatever its status.
#[derive(Debug)]
pub struct WebReply {
    pub status: u16,
    pub headers: HeaderMap,
    /// Unpacked.
    pub body: Vec<u8>,
    /// Whether there was more than is read.
    pub cut: bool,
}

impl WebReply {
    /// A header's value, where it is text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok().map(str::trim)
    }
}

/// The fault of a request without an answer, in words for the model.
#[derive(Debug, thiserror::Error)]
pub enum FetchFault {
    #[error(transparent)]
    Refused(#[from] AddressRefusal),
    #[error("it did not answer within {0} s")]
    TooSlow(u64),
    #[error("it cannot be reached: {0}")]
    Unreachable(String),
    #[error("the answer is packed as `{0}`, which was not asked for")]
    Packed(String),
    #[error("the answer is damaged: {0}")]
    Damaged(String),
}

/// No client can be made.
#[derive(Debug, thiserror::Error)]
#[error("no HTTP client can be made: {0}")]
pub struct NoClient(String);

/// Makes requests to checked addresses, at a polite pace.
pub struct WebClient {
    http: reqwest::Client,
    guard: Guard,
    pace: Pace,
    clock: Arc<dyn Clock>,
    pub bounds: RequestBounds,
}

impl WebClient {
    /// A client that says who it is; `contact` is an address that site owners can write to.
    ///
    /// # Errors
    /// A proxy that cannot be used, or a client that cannot be made even without the system's
    /// certificates.
    pub fn new(
        guard: Guard,
        pace: Pace,
        clock: Arc<dyn Clock>,
        bounds: RequestBounds,
        contact: Option<&str>,
        proxy: Option<&Url>,
    ) -> Result<Self, NoClient> {
        let failed = |error: reqwest::Error| NoClient(chain(&error));
        // Fails only if a provider is installed already, which does as well.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let contact = contact.map_or(String::new(), |contact| format!("; {contact}"));
        let agent = format!(
            "{}/{} (looks up the data of published studies{contact})",
            super::robots::NAME,
            env!("CARGO_PKG_VERSION")
        );
        let proxy = proxy
            .map(|proxy| Proxy::all(proxy.clone()))
            .transpose()
            .map_err(failed)?;
        let build = |certificates: bool| {
            let builder = reqwest::Client::builder()
                .user_agent(agent.as_str())
                .redirect(Policy::none())
                .connect_timeout(bounds.connect)
                .dns_resolver(guard.clone())
                // A kept connection would outlive the check of its address.
                .pool_max_idle_per_host(0)
                .no_proxy();
            let builder = match &proxy {
                Some(proxy) => builder.proxy(proxy.clone()),
                None => builder,
            };
            if certificates {
                builder.build()
            } else {
                builder.tls_certs_only([]).build()
            }
        };
        Ok(Self {
            // Without certificates https fails page by page, with its reason.
            http: build(true).or_else(|_| build(false)).map_err(failed)?,
            guard,
            pace,
            clock,
            bounds,
        })
    }

    /// Asks once, or again where that helps; `most` bytes of the answer are read.
    ///
    /// # Errors
    /// An address that the guard refuses, one that cannot be reached or trusted, or an answer that
    /// breaks off or is packed in a way that was not asked for.
    pub async fn ask(
        &self,
        method: Method,
        url: &Url,
        apart: Option<Duration>,
        most: usize,
    ) -> Result<WebReply, FetchFault> {
        let mut attempt = 1;
        loop {
            let last = attempt >= self.bounds.attempts;
            self.guard.check(url).await?;
            self.pace.turn(url.authority(), apart).await;
            let sent = self
                .http
                .request(method.clone(), url.clone())
                .header(ACCEPT, WANTED)
                .header(ACCEPT_ENCODING, "gzip")
                .send()
                .await;
            let wait = match sent {
                Ok(response) => match self.pause(&response, attempt).filter(|_| !last) {
                    Some(wait) => wait,
                    None => return self.read(response, most).await,
                },
                Err(error) if last || is_distrust(&error) => {
                    return Err(FetchFault::Unreachable(chain(&error.without_url())));
                }
                Err(_) => Duration::from_secs(u64::from(attempt)),
            };
            self.pace.wait(wait).await;
            attempt += 1;
        }
    }

    /// How long to wait before asking again, where that is worth it.
    fn pause(&self, response: &Response, attempt: u32) -> Option<Duration> {
        let asked = || retry_after(response.headers(), self.clock.now());
        let wait = match response.status().as_u16() {
            429 | 503 => asked().unwrap_or(Duration::from_secs(2 * u64::from(attempt))),
            502 | 504 => Duration::from_secs(u64::from(attempt)),
            _ => return None,
        };
        (wait <= self.bounds.longest_pause).then_some(wait)
    }

    async fn read(&self, mut response: Response, most: usize) -> Result<WebReply, FetchFault> {
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let most = most.min(self.bounds.bytes);
        let (mut body, mut cut) = (Vec::new(), false);
        while !cut {
            let chunk = response
                .chunk()
                .await
                .map_err(|error| FetchFault::Damaged(chain(&error.without_url())))?;
            let Some(chunk) = chunk else { break };
            let room = most - body.len();
            cut = chunk.len() > room;
            body.extend_from_slice(&chunk[..chunk.len().min(room)]);
        }
        let packing = headers
            .get(CONTENT_ENCODING)
            .and_then(|value| value.to_str().ok());
        match packing.map(|text| text.trim().to_ascii_lowercase()).as_deref() {
            None | Some("" | "identity") => {}
            Some("gzip" | "x-gzip") => (body, cut) = self.unpack(&body, cut)?,
            Some(other) => return Err(FetchFault::Packed(excerpt::shortened(other, 40))),
        }
        Ok(WebReply {
            status,
            headers,
            body,
            cut,
        })
    }

    fn unpack(&self, packed: &[u8], cut: bool) -> Result<(Vec<u8>, bool), FetchFault> {
        let mut body = Vec::new();
        let room = self.bounds.unpacked as u64;
        let read = MultiGzDecoder::new(packed).take(room + 1).read_to_end(&mut body);
        match read {
            // What is cut ends in the middle of what was packed.
            Err(error) if !cut => return Err(FetchFault::Damaged(error.to_string())),
            _ => {}
        }
        let more = body.len() as u64 > room;
        body.truncate(self.bounds.unpacked);
        Ok((body, cut || more))
    }
}
