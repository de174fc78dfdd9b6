//! Requests to one index, and to the places that its files lie at.

use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use reqwest::dns::{Addrs, Name, Resolve as HttpResolve, Resolving};
use reqwest::header::{ACCEPT, CONTENT_RANGE, CONTENT_TYPE, RANGE};
use reqwest::redirect::Policy;
use reqwest::{NoProxy, Response, StatusCode, Url};

use super::error::IndexError;
use super::news::{IndexNews, IndexWait, OnNews};
use super::waits::{Patience, Waits};
use crate::addresses::private::is_private;
use crate::addresses::resolver::{Resolve as _, System};
use crate::domain::excerpt;
use crate::environment::python_index::wheel_directory::FilePart;
use crate::model::http::chain;
use crate::network::guard::bare;
use crate::sandbox::egress::upstream::UPSTREAM_SETTINGS;
use crate::settings::Settings;

/// Attempts at one address, those at one that says nothing, and the pause in front of the second.
const ATTEMPTS: u32 = 3;
const SILENT_ATTEMPTS: u32 = 2;
const PAUSE: Duration = Duration::from_millis(300);
const CONNECT: Duration = Duration::from_secs(15);
/// Redirects that are followed.
const REDIRECTS: usize = 5;
/// Settings with a file of certificates.
const BUNDLES: [&str; 3] = ["PIP_CERT", "REQUESTS_CA_BUNDLE", "SSL_CERT_FILE"];

/// The wish for some bytes of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WantedBytes {
    Whole,
    Part(FilePart),
    /// The last bytes, so many.
    Last(u64),
}

/// Bytes of a file.
#[derive(Debug)]
pub struct HadBytes {
    pub bytes: Vec<u8>,
    /// The place of the first one.
    pub from: u64,
    /// Of the whole file.
    pub length: u64,
    pub content_type: String,
}

/// Asks one index.
pub struct IndexClient<'a> {
    http: reqwest::Client,
    base: Url,
    answered: AtomicUsize,
    patience: Patience,
    waits: Waits,
    on_news: OnNews<'a>,
}

/// The base's own host wherever it leads, and of others what is public or stands where the base does.
struct OwnOrPublic {
    own: String,
}

impl HttpResolve for OwnOrPublic {
    fn resolve(&self, name: Name) -> Resolving {
        let host = name.as_str().to_owned();
        let own = self.own.clone();
        Box::pin(async move {
            let found = System.addresses(&host, 0).await?;
            if host.eq_ignore_ascii_case(&own) {
                return Ok(Box::new(found.into_iter()) as Addrs);
            }
            // Behind a proxy that looks names up, the base may have no address here.
            let own = System.addresses(&own, 0).await.unwrap_or_default();
            let elsewhere = elsewhere(found, &own);
            if elsewhere.is_empty() {
                return Err(format!("{host} is on this machine or a private network").into());
            }
            Ok(Box::new(elsewhere.into_iter()) as Addrs)
        })
    }
}

/// The addresses that another host than the index's may have: a gateway may stand for several hosts.
fn elsewhere(found: Vec<SocketAddr>, own: &[SocketAddr]) -> Vec<SocketAddr> {
    let is_of_index = |ip: IpAddr| !ip.is_loopback() && own.iter().any(|own| own.ip() == ip);
    let fitting = |address: &SocketAddr| !is_private(address.ip()) || is_of_index(address.ip());
    found.into_iter().filter(fitting).collect()
}

impl<'a> IndexClient<'a> {
    /// A client with the operator's proxy and certificates.
    ///
    /// # Errors
    /// Settings of the network that cannot be used.
    pub fn new(base: &Url, settings: &Settings, on_news: OnNews<'a>) -> Result<Self, IndexError> {
        Self::with_patience(base, settings, Patience::default(), on_news)
    }

    fn with_patience(
        base: &Url,
        settings: &Settings,
        patience: Patience,
        on_news: OnNews<'a>,
    ) -> Result<Self, IndexError> {
        let failed = |error: reqwest::Error| IndexError::NoClient(chain(&error));
        // Fails only if a provider is installed already, which does as well.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let own = base.host_str().unwrap_or_default().to_owned();
        let follows = base.clone();
        let mut builder = reqwest::Client::builder()
            .user_agent(concat!("reprise/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(CONNECT)
            .read_timeout(patience.silence)
            .dns_resolver(OwnOrPublic { own })
            .redirect(Policy::custom(move |attempt| {
                let is_fine =
                    attempt.previous().len() <= REDIRECTS && leads_inside(&follows, attempt.url()).is_none();
                match is_fine {
                    true => attempt.follow(),
                    false => attempt.stop(),
                }
            }))
            .no_proxy();
        let set = |names: &[&str]| names.iter().find_map(|name| settings.secret(name));
        if let Some(address) = set(&UPSTREAM_SETTINGS).filter(|_| !is_inside(base)) {
            let proxy = reqwest::Proxy::all(address.trim()).map_err(failed)?;
            let around = set(&["NO_PROXY", "no_proxy"]).unwrap_or_default();
            builder = builder.proxy(proxy.no_proxy(NoProxy::from_string(around)));
        }
        let bundle = BUNDLES
            .iter()
            .find_map(|name| settings.secret(name).filter(|path| Path::new(path).is_file()));
        for certificate in certificates(bundle.filter(|_| base.scheme() == "https"))? {
            builder = builder.add_root_certificate(certificate);
        }
        if base.scheme() == "http" && is_inside(base) {
            builder = builder.tls_certs_only([]);
        }
        Ok(Self {
            http: builder.build().map_err(failed)?,
            base: base.clone(),
            answered: AtomicUsize::new(0),
            patience,
            waits: Waits::new(patience),
            on_news,
        })
    }

    /// An address below the index.
    ///
    /// # Errors
    /// A path that makes none.
    pub fn below(&self, path: &str) -> Result<Url, IndexError> {
        self.base.join(path).map_err(|error| IndexError::Address {
            address: excerpt::shortened(path, 120),
            reason: error.to_string(),
        })
    }

    /// Bytes at an address; `None` where there is nothing.
    ///
    /// # Errors
    /// An address that leads inside, an index that does not answer, or one that answers with too much.
    pub async fn get(
        &self,
        url: &Url,
        accept: &str,
        wanted: WantedBytes,
        most: usize,
    ) -> Result<Option<HadBytes>, IndexError> {
        if let Some(host) = leads_inside(&self.base, url) {
            return Err(IndexError::LeadsInside(host));
        }
        let news = |waited: Option<IndexWait>| IndexNews {
            answered: self.answered.load(Ordering::Relaxed),
            asked: url
                .path()
                .rsplit('/')
                .find(|part| !part.is_empty())
                .unwrap_or_default()
                .to_owned(),
            waited,
        };
        (self.on_news)(news(None));
        let waits = |so_far: Duration| {
            let host = url.host_str().unwrap_or_default().to_owned();
            (self.on_news)(news(Some(IndexWait { host, so_far })));
        };
        let had = self
            .waits
            .tell(self.attempts(url, accept, wanted, most), waits)
            .await;
        self.answered
            .fetch_add(usize::from(had.is_ok()), Ordering::Relaxed);
        had
    }

    async fn attempts(
        &self,
        url: &Url,
        accept: &str,
        wanted: WantedBytes,
        most: usize,
    ) -> Result<Option<HadBytes>, IndexError> {
        let begun = Instant::now();
        let mut attempt = 1;
        loop {
            match self.once(url, accept, wanted, most).await {
                Err(IndexError::Silent {
                    address, answered, ..
                }) if attempt >= SILENT_ATTEMPTS => {
                    return Err(IndexError::Silent {
                        address,
                        waited: begun.elapsed().as_secs(),
                        attempts: attempt,
                        answered,
                    });
                }
                Err(error) if attempt < ATTEMPTS && is_worth_another(&error) => {
                    tokio::time::sleep(PAUSE * 4_u32.pow(attempt - 1)).await;
                    attempt += 1;
                }
                had => return had,
            }
        }
    }

    async fn once(
        &self,
        url: &Url,
        accept: &str,
        wanted: WantedBytes,
        most: usize,
    ) -> Result<Option<HadBytes>, IndexError> {
        let mut request = self.http.get(url.clone()).header(ACCEPT, accept);
        match wanted {
            WantedBytes::Whole => {}
            WantedBytes::Part(part) => {
                let last = part.to.saturating_sub(1);
                request = request.header(RANGE, format!("bytes={}-{last}", part.from));
            }
            WantedBytes::Last(count) => request = request.header(RANGE, format!("bytes=-{count}")),
        }
        let response = request
            .send()
            .await
            .map_err(|error| self.unreachable(url, error))?;
        match response.status() {
            StatusCode::OK | StatusCode::PARTIAL_CONTENT => self.read(url, response, most).await.map(Some),
            StatusCode::NOT_FOUND | StatusCode::GONE => Ok(None),
            status => Err(IndexError::Status {
                address: url.to_string(),
                status: status.as_u16(),
                answered: self.answered.load(Ordering::Relaxed),
            }),
        }
    }

    fn unreachable(&self, url: &Url, error: reqwest::Error) -> IndexError {
        if error.is_timeout() && !error.is_connect() {
            return IndexError::Silent {
                address: url.to_string(),
                waited: self.patience.silence.as_secs(),
                attempts: 1,
                answered: self.answered.load(Ordering::Relaxed),
            };
        }
        IndexError::Unreachable {
            address: url.to_string(),
            reason: chain(&error.without_url()),
            answered: self.answered.load(Ordering::Relaxed),
        }
    }

    async fn read(&self, url: &Url, mut response: Response, most: usize) -> Result<HadBytes, IndexError> {
        let text = |name| {
            let value = response.headers().get(name)?;
            Some(value.to_str().ok()?.to_owned())
        };
        let content_type = text(CONTENT_TYPE).unwrap_or_default();
        let range = text(CONTENT_RANGE).filter(|_| response.status() == StatusCode::PARTIAL_CONTENT);
        let range = range.and_then(|range| AnsweredPart::parse(&range));
        let mut bytes = Vec::new();
        while let Some(chunk) = response
            .chunk()
            .await
            .map_err(|error| self.unreachable(url, error))?
        {
            if bytes.len() + chunk.len() > most {
                return Err(IndexError::TooLarge {
                    address: url.to_string(),
                    most,
                });
            }
            bytes.extend_from_slice(&chunk);
        }
        let whole = bytes.len() as u64;
        let AnsweredPart { from, length } = range.unwrap_or(AnsweredPart {
            from: 0,
            length: whole,
        });
        Ok(HadBytes {
            bytes,
            from,
            length,
            content_type,
        })
    }
}

/// `bytes 10-19/100`
struct AnsweredPart {
    from: u64,
    length: u64,
}

impl AnsweredPart {
    fn parse(header: &str) -> Option<Self> {
        let (range, length) = header.strip_prefix("bytes ")?.split_once('/')?;
        let (from, _) = range.split_once('-')?;
        Some(Self {
            from: from.parse().ok()?,
            length: length.parse().ok()?,
        })
    }
}

fn is_worth_another(error: &IndexError) -> bool {
    match error {
        IndexError::Unreachable { .. } | IndexError::Silent { .. } => true,
        IndexError::Status { status, .. } => *status == 429 || *status >= 500,
        _ => false,
    }
}

fn certificates(bundle: Option<&str>) -> Result<Vec<reqwest::Certificate>, IndexError> {
    let Some(path) = bundle else {
        return Ok(Vec::new());
    };
    let fault = |reason: String| IndexError::Certificates {
        path: path.to_owned(),
        reason,
    };
    let text = std::fs::read(path).map_err(|error| fault(error.to_string()))?;
    reqwest::Certificate::from_pem_bundle(&text).map_err(|error| fault(error.to_string()))
}

/// Whether an address leads to this machine or a private network by what it says itself.
fn is_inside(url: &Url) -> bool {
    match url.host_str().map(bare) {
        Some("localhost") => true,
        Some(host) => host.parse::<IpAddr>().is_ok_and(is_private),
        None => true,
    }
}

/// The host of an address that leads inside and is not the index itself.
fn leads_inside(base: &Url, url: &Url) -> Option<String> {
    let is_web =
        matches!(url.scheme(), "http" | "https") && url.username().is_empty() && url.password().is_none();
    let is_own = url.origin() == base.origin();
    // What the index hands out over TLS stays so.
    let is_weaker = base.scheme() == "https" && url.scheme() != "https";
    // No other service of a machine is asked.
    let is_elsewhere = !is_inside(url) && url.port().is_none();
    let is_fine = is_web && !is_weaker && (is_own || is_elsewhere);
    (!is_fine).then(|| url.host_str().unwrap_or_default().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_leads_to_itself_and_to_the_public_web() {
        let leads = |base: &str, url: &str| {
            leads_inside(&Url::parse(base).unwrap(), &Url::parse(url).unwrap()).is_some()
        };
        assert!(!leads(
            "https://pypi.org/simple/",
            "https://files.example.org/x.whl"
        ));
        assert!(!leads("http://127.0.0.1:8000/", "http://127.0.0.1:8000/x.whl"));
        for url in [
            "http://files.example.org/x.whl",
            "https://127.0.0.1/x.whl",
            "https://169.254.169.254/latest",
            "https://localhost/x",
            "file:///etc/passwd",
            "https://user@files.example.org/x",
            "https://[::1]/x",
            "https://files.example.org:22/x",
            "https://pypi.org:8443/x",
        ] {
            assert!(leads("https://pypi.org/simple/", url), "{url}");
        }
        assert!(leads("http://127.0.0.1:8000/", "http://127.0.0.1:22/"));
    }

    #[test]
    fn another_host_is_public_or_stands_where_the_index_does() {
        let at = |text: &str| -> Vec<SocketAddr> { vec![SocketAddr::new(text.parse().unwrap(), 0)] };
        assert_eq!(elsewhere(at("192.0.78.9"), &[]), at("192.0.78.9"));
        assert_eq!(elsewhere(at("10.0.0.5"), &at("10.0.0.5")), at("10.0.0.5"));
        assert!(elsewhere(at("10.0.0.6"), &at("10.0.0.5")).is_empty());
        assert!(elsewhere(at("127.0.0.1"), &at("127.0.0.1")).is_empty());
    }

    /// An index that takes the request and says nothing.
    #[tokio::test]
    async fn a_silent_index_is_told_while_it_is_waited_for_and_has_an_end() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let base = Url::parse(&format!("http://{}/simple/", listener.local_addr().unwrap())).unwrap();
        std::thread::spawn(move || listener.incoming().collect::<Vec<_>>());
        let told: std::sync::Mutex<Vec<String>> = std::sync::Mutex::default();
        let on_news = |news: IndexNews| told.lock().unwrap().extend(news.wait_sentence());
        let patience = Patience {
            silence: Duration::from_millis(1500),
            told_every: Duration::from_millis(20),
        };
        let settings = Settings::from_variables(std::iter::empty()).unwrap();
        let client = IndexClient::with_patience(&base, &settings, patience, &on_news).unwrap();
        let url = client.below("pandas/").unwrap();
        let end = client
            .get(&url, "*/*", WantedBytes::Whole, 100)
            .await
            .unwrap_err();
        let end = end.to_string();
        assert!(
            end.contains("/simple/pandas/ gave no answer for")
                && end.contains("in 2 attempts, after 0 answers"),
            "{end}"
        );
        let told = told.lock().unwrap();
        assert!(told.len() > 1, "{told:?}");
        assert!(
            told[0].starts_with("127.0.0.1 has not answered for") && told[0].contains("asked for pandas"),
            "{told:?}"
        );
    }
}
